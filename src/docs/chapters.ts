/** What the man page says beyond single commands: docs/import.md and docs/rate-limits.md in short. */

export const importing: readonly string[] = [
  'The file is CSV (RFC 4180, with a header row), a JSON array or NDJSON, by its extension or --format; - is standard input. Its fields are name and description; an id is ignored, so an export can be imported. All rows are checked before the first request. At most 100,000 rows, 256 MiB, and 1 MiB per row.',
  'The plan takes one request: rows to create, rows that already exist, exist with a different description or are duplicates in the file, and names that are similar to another one (they differ in case, spaces or Unicode composition). --dry-run ends here. At a terminal the import then asks; anywhere else it needs --yes, with which rows of similar names are refused.',
  'At the end each distinct name exists once; with --allow-duplicates each row is a category of its own.',
  'If an import is interrupted, by Ctrl-C, kill -9, a full disk or a power cut, run the same command again: it resumes. Each row is in a journal on the disk before its request is sent. The journal holds no key and can be deleted once the import is done.',
  'An interrupted request may still have been carried out. Its row is held back while others continue; after --settle one list shows whether it exists, and only then is it sent again. If the service needs longer than that, one category too many is possible: it is found and named.',
  'The outcome of a row is created, created_before (by an earlier run), existing, differs, repeated, refused, unknown or left. Exit code 7 means that rows were refused or are left, 6 that an outcome is unknown, 75 that only the rate limit stopped the import.',
];

export const limiting: readonly string[] = [
  'All petstore processes of a machine that use one key at one base URL share one view of the rate limit. A limit that is known to be exhausted is not run into, neither that of the minute nor that of the day.',
  'After a 429, or a 503 with Retry-After, no request is sent before the time that it names, by any of these processes; after a 429 exponential backoff with jitter is added. Without a usable time the wait is one second, then doubles. After three 429 in a row nothing is sent for five minutes.',
  'A wait of more than two seconds is shown: a countdown at a terminal, otherwise a line at its start and every 30 to 35 seconds. If a request would have to wait longer than --max-wait, nothing is sent: exit code 75, with the time to retry at.',
  'After each command one line on stderr says what is left. With the setting rate-limit-line it is printed always, only when less than 10 % is left (low), or never. petstore limits shows the same without a request, and any wait in force with its reason.',
  'Machines share a limit through a Redis or Valkey server: the setting limit-store.',
];

/** Below the folders of settings and state. */
export const files: readonly (readonly [path: string, meaning: string])[] = [
  [
    '~/.config/petstore',
    'settings folder: $XDG_CONFIG_HOME/petstore if that is set, on macOS ~/Library/Preferences/petstore, on Windows below APPDATA, or PETSTORE_CONFIG_DIR',
  ],
  ['settings.json', 'in the settings folder: the profiles and their settings'],
  ['keys/PROFILE.json', 'in the settings folder: a stored API key, mode 0600'],
  [
    '~/.local/state/petstore',
    'state folder: $XDG_STATE_HOME/petstore if that is set, on Windows below LOCALAPPDATA, or PETSTORE_STATE_DIR',
  ],
  ['imports', 'in the state folder: a journal per import'],
  ['names', 'in the state folder: the names that running imports and creates work on'],
  ['limits', 'in the state folder: the shared view of the rate limit, without key and base URL'],
  [
    'deprecations/sunsets.json',
    'in the state folder: the sunset dates that the service has sent, by base URL',
  ],
  ['sandbox/requests.log', 'in the state folder: what was created with --profile sandbox'],
  ['/tmp/petstore-UID', 'the shared view of the rate limit where the state folder cannot hold it'],
];
