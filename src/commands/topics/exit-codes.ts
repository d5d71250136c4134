import type { Command } from 'commander';
import type { App } from '../../session/app.ts';
import { listOf, pageWidth, printPage } from '../page.ts';

/** Scripts rely on these; the README has the same table. */
export const meanings: readonly (readonly [codes: string, meaning: string])[] = [
  ['0', 'success, including an empty list'],
  ['1', 'internal error: a bug in petstore'],
  [
    '2',
    'invalid usage, settings or input (nothing was sent), cancelled, --query failed on the result, or an ambiguous name',
  ],
  ['3', 'refused by the service: 400, 404, 409, 422 or any other 4xx; no such category'],
  ['4', 'no API key, or the service rejected it (401, 403)'],
  ['5', 'network, TLS, timeout, 5xx, or an unexpected response'],
  ['6', 'the outcome of a write is unknown: it may have been carried out'],
  [
    '7',
    'import incomplete: some rows were refused or are left (75 if only the rate limit stopped it); or a diff shows something to import',
  ],
  ['74', 'cannot write the result, a setting or a journal'],
  ['75', 'rate limited, by the service or before sending: not done; retry at the time given'],
  ['129', 'hung up: the terminal was closed'],
  ['130', 'interrupted (Ctrl-C)'],
  ['141', 'the reader of stdout went away'],
  ['143', 'terminated'],
];

export function define(command: Command, app: App): void {
  command.action(() => {
    const page = listOf('Exit codes:', meanings, pageWidth(app.context));
    return printPage(app, page);
  });
}
