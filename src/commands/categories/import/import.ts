import { createHmac } from 'node:crypto';
import { join } from 'node:path';
import { type Command, Option } from 'commander';
import { usageFailure } from '../../../errors.ts';
import { hasJsonEvents } from '../../../formats.ts';
import type { Mode } from '../../../import/content.ts';
import { type InputFormat, inputFormats, readInput } from '../../../import/input.ts';
import type { NameLock } from '../../../import/name-locks.ts';
import { withJournal } from '../../../import/with-journal.ts';
import { type App, canPrompt } from '../../../session/app.ts';
import { type Session, withSession } from '../../../session/session.ts';
import { requireStateFolder } from '../../../settings/folders.ts';
import { invalid, parseDuration } from '../../../settings/values.ts';
import { addExamples, addNotes } from '../../help.ts';
import { lockNames } from '../lock-names.ts';
import type { ImportRequest } from './import-request.ts';
import { planOf } from './known-limit.ts';
import { outcomeColumns, planColumns } from './report.ts';
import { preview, runImport } from './run.ts';

type Options = {
  readonly format?: InputFormat;
  readonly dryRun?: boolean;
  readonly yes?: boolean;
  readonly allowDuplicates?: boolean;
  readonly settle: string;
};

export function define(command: Command, app: App): void {
  addExamples(command, [
    'petstore categories import pets.csv --dry-run',
    'petstore categories import pets.csv --yes --max-wait inf',
    "jq -c '.[]' pets.json | petstore categories import - --format ndjson --yes",
  ]);
  addNotes(command, [
    [
      'Input:',
      [
        ['CSV', 'header name,description and one category per line; description is optional'],
        ['TSV', 'the same with tabs; no quoting, and \\t, \\n, \\r and \\\\ as escapes'],
        ['JSON', 'array of objects: [{"name": "dog", "description": "A loyal friend"}]'],
        ['NDJSON', 'one such object per line'],
      ],
    ],
    'The file is UTF-8. Names that already exist are skipped. The same command resumes an interrupted import.',
  ]);
  command
    .argument('<file>', 'file of categories, or - for standard input')
    .addOption(
      new Option('--format <format>', 'input format (default: by file extension)').choices(
        inputFormats,
      ),
    )
    .option('--dry-run', 'show the plan without creating anything; costs one request')
    .option('--yes', 'skip the confirmation')
    .option('--allow-duplicates', 'create every row, even if its name already exists')
    .option('--settle <duration>', 'how long to wait before checking interrupted requests', '60s')
    .action(async (file: string, options: Options) =>
      withSession(app, command, async (session) => {
        session.output.checkColumns(options.dryRun ? planColumns : outcomeColumns);
        const request = await readRequest(session, file, options);

        if (options.dryRun) return preview(request);

        const { folder, identity } = request;
        const lock = () => lockNamesFor(request);
        await withJournal(app.context, folder, identity, lock, (journal) =>
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

/** Returns why the question after the plan cannot be asked, or undefined if it can. */
function obstacleToAsking(file: string, { context, format, options }: Session): string | undefined {
  const { stdin, stderr } = context;
  if (file === '-') return 'standard input is the file';
  if (!stdin.isTTY || !stderr.isTTY) return 'this is not a terminal';
  if (options.input === false) return '--no-input is set';
  if (!canPrompt(context, options)) return 'CI is set';
  if (hasJsonEvents(format)) return 'the output is JSON';
  return options.quiet ? 'the plan is hidden by --quiet' : undefined;
}

async function readRequest(
  session: Session,
  file: string,
  options: Options,
): Promise<ImportRequest> {
  const plan = planOf(session);
  const settle = parseDuration(options.settle, '--settle', '30s, 2m or 0');
  if (!Number.isFinite(settle))
    throw invalid('duration', 'inf', '--settle', 'Must not be inf. For example: 5m');
  const mode: Mode = options.allowDuplicates ? 'each' : 'ensure';
  const input = await readInput(session, file, options.format);
  const obstacle = options.dryRun || options.yes ? undefined : obstacleToAsking(file, session);
  if (obstacle !== undefined) {
    throw usageFailure(
      `confirmation needed, but ${obstacle} (use --yes)`,
      'To see the plan first, use --dry-run.',
    );
  }
  const { address, secret } = await session.account();
  const fingerprint = (salt: string) => createHmac('sha256', salt).update(secret).digest('hex');
  return {
    session,
    input,
    settle,
    identity: { address, mode, sha256: input.sha256, path: input.path },
    fingerprint,
    plan,
    folder: join(requireStateFolder(session.context), 'imports'),
    assumeYes: options.yes ?? false,
  };
}
