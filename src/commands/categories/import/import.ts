import { join } from 'node:path';
import { type Command, Option } from 'commander';
import { usageFailure } from '../../../errors.ts';
import { speaksJson } from '../../../formats.ts';
import type { Mode } from '../../../import/content.ts';
import type { NameLock } from '../../../import/name-locks.ts';
import { type InputFormat, inputFormats, readInput } from '../../../import/read/input.ts';
import { withJournal } from '../../../import/with-journal.ts';
import type { Host } from '../../../session/host.ts';
import { mayAsk } from '../../../session/host.ts';
import { inSession, type Session } from '../../../session/session.ts';
import { requireStateFolder } from '../../../settings/folders.ts';
import { parseDuration } from '../../../settings/values.ts';
import { addExamples } from '../../examples.ts';
import { lockNames } from '../lock-names.ts';
import type { ImportRequest } from './import-request.ts';
import { planOf } from './limits.ts';
import { outcomeColumns, planColumns } from './report.ts';
import { preview, runImport } from './run.ts';

type Options = {
  readonly format?: InputFormat;
  readonly dryRun?: boolean;
  readonly yes?: boolean;
  readonly allowDuplicates?: boolean;
  readonly settle: string;
};

export function define(command: Command, host: Host): void {
  addExamples(command, [
    'petstore categories import pets.csv --dry-run',
    'petstore categories import pets.csv --yes --max-wait inf',
    "jq -c '.[]' pets.json | petstore categories import - --format ndjson --yes",
  ]);
  command
    .argument('<file>', 'a CSV, JSON or NDJSON file of categories, or - for standard input')
    .addOption(new Option('--format <format>', 'what the file holds').choices(inputFormats))
    .option('--dry-run', 'show the plan and create nothing; costs one request')
    .option('--yes', 'do not ask')
    .option('--allow-duplicates', 'create every row, whatever is there already')
    .option(
      '--settle <duration>',
      'how long the service may take over a request that broke off',
      '60s',
    )
    .action(async (file: string, options: Options) =>
      inSession(host, command, async (session) => {
        session.output.checkColumns(options.dryRun ? planColumns : outcomeColumns);
        if (!options.dryRun && !options.yes) refuseUnasked(session, file);
        const request = await readRequest(session, file, options);

        if (options.dryRun) return preview(request);

        const { folder, identity } = request;
        const lock = () => lockNamesFor(request);
        await withJournal(host.context, folder, identity, lock, (journal) =>
          runImport(request, journal),
        );
      }),
    );
}

/** Where every row makes a category of its own, other processes matter only if they work on the same file. */
function lockNamesFor({
  session,
  input,
  identity: { address, mode, path },
}: ImportRequest): Promise<NameLock> {
  const names = mode === 'ensure' ? input.rows.map(({ name }) => name) : [];
  return lockNames(session, { address, names, path, doing: 'importing' });
}

/** @throws Failure (usage) when the question that comes later cannot be asked, or not among lines of JSON */
function refuseUnasked({ host, options }: Session, file: string): void {
  const plain = !(host.format && speaksJson(host.format)) && !options.quiet;
  if (plain && file !== '-' && mayAsk(host.context, options)) return;
  throw usageFailure(
    'an import asks before it creates anything, and here is nobody to be asked',
    'Add --yes, or --dry-run to see the plan first.',
  );
}

async function readRequest(
  session: Session,
  file: string,
  options: Options,
): Promise<ImportRequest> {
  const { host, report } = session;
  if (file === '-' && session.options.apiKeyFile === '-') {
    throw usageFailure(
      'standard input cannot hold both the file and the key',
      'Give one of them by name, or the key as PETSTORE_API_KEY.',
    );
  }
  const plan = planOf(session.profile);
  const settle = parseDuration(options.settle, '--settle');
  if (!Number.isFinite(settle))
    throw usageFailure('--settle needs an end', 'For example: --settle 5m');
  const mode: Mode = options.allowDuplicates ? 'each' : 'ensure';
  const input = await readInput(host.context, file, options.format, report);
  const { address, fingerprint } = await session.account();
  return {
    session,
    input,
    settle,
    identity: { address, mode, sha256: input.sha256, path: input.path },
    fingerprint,
    plan,
    folder: join(requireStateFolder(host.context), 'imports'),
    assumeYes: options.yes ?? false,
  };
}
