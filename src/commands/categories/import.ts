import { Failure, usageFailure, withDetails } from '../../errors.ts';
import { contentFields } from '../../fields.ts';
import { findByFate } from '../../import/fates.ts';
import { type Job, runImport } from '../../import/import-rows.ts';
import { type InputFormat, inputFormats, readInput } from '../../import/input.ts';
import { defaultSettleTimes, type SettleTimes } from '../../import/settle.ts';
import { canPrompt } from '../../session/options.ts';
import type { Session } from '../../session/session.ts';
import { onProfile, targetFlags } from '../../session/settings.ts';
import { invalid, parseDuration } from '../../settings/values.ts';
import { commandOn } from '../../text/shell.ts';
import { countOf, duration } from '../../time.ts';
import type { Verb } from '../verb.ts';
import { outcomeColumns, reportEnding, showPlan } from './import-report.ts';
import { openLedger, openTurn } from './open-import.ts';
import { preview, previewColumns } from './preview.ts';

type Options = {
  readonly format?: InputFormat;
  readonly dryRun?: boolean;
  readonly yes?: boolean;
  readonly settle?: string;
};

const maxSettleMs = 86_400_000;

const { settleMs, settleAfterKillMs } = defaultSettleTimes;

const importVerb: Verb = {
  takes: [['<file>', 'file of categories, or - for standard input']],
  options: [
    ['--format <format>', 'input format (default: by file extension)', inputFormats],
    ['--dry-run', 'print what would become of each row; costs one request, creates nothing'],
    ['-y, --yes', 'do not ask; needed in scripts'],
    [
      '--settle <duration>',
      `how long a request that broke off may still arrive; then the list is checked (default: ${duration(settleMs)}; ${duration(settleAfterKillMs)} after a kill)`,
    ],
  ],
  examples: [
    'petstore categories import pets.csv --dry-run',
    'petstore categories import pets.csv --yes --max-wait inf',
    "jq -c '.[]' pets.json | petstore categories import - --format ndjson --yes",
  ],
  notes: [
    [
      'Input:',
      [
        [
          'CSV',
          `header ${contentFields.join(',')} and one category per line; only the name is required`,
        ],
        ['TSV', 'the same with tabs; \\t, \\n, \\r, \\\\ and \\" are escapes outside of quotes'],
        ['JSON', 'array of objects: [{"name": "dog", "description": "A loyal friend"}]'],
        ['NDJSON', 'one such object per line'],
      ],
    ],
    'The file is UTF-8. Run the same command again to resume an interrupted import. Names that exist are skipped, those that look like another one refused; petstore categories create creates them anyway.',
    'Exit code 7: rows were refused or are left. 75: the rate limit; run it again at the time shown. 6: run it again, it checks first.',
  ],
  run: importFile,
};

export { importVerb as import };

async function importFile(session: Session, file: string, options: Options): Promise<void> {
  const { context, output, report } = session;
  output.checkColumns(options.dryRun ? previewColumns : outcomeColumns);
  session.settings.get('plan');
  const settleTimes = resolveSettle(options.settle);
  const maxWaitMs = session.settings.get('max-wait').value;
  const { source, path, items } = await readInput(session, file, options.format);
  if (options.dryRun) {
    const { rows } = await preview(session, items);
    await showPlan(session, items, 0);
    return output.print({ list: [rows], columns: previewColumns, empty: 'Nothing to import.' });
  }
  if (items.length === 0) return reportEnding(session, source, [], { stop: undefined, copies: [] });
  const canAsk = file !== '-' && canPrompt(context, session.options) && !session.options.quiet;
  if (!canAsk && !options.yes) {
    const format = options.format ? ` --format ${options.format}` : '';
    const flags = `--dry-run${targetFlags(session)}${format}`;
    const look = commandOn(`petstore categories import ${flags}`, file);
    const hint = path === undefined ? 'Add --yes.' : `Add --yes, or look first. Run: ${look}`;
    throw usageFailure('confirmation needed, but petstore cannot ask here', hint);
  }
  const ledger = await openLedger(session);
  const turn = await openTurn(session, {
    doing: 'importing',
    settleAfterKillMs: settleTimes.settleAfterKillMs,
    isSettled: () => findByFate(items, 'unknown').length === 0 && ledger.sync(),
  });
  const client = await session.client();
  const job = { context, client, report, items, ledger, ...settleTimes, maxWaitMs, turn };
  return run(session, source, job, options.yes ?? false);
}

function resolveSettle(text: string | undefined): SettleTimes {
  if (text === undefined) return defaultSettleTimes;
  const settleMs = parseDuration(text, '--settle', '30s, 2m or 0');
  if (settleMs <= maxSettleMs) return { settleMs, settleAfterKillMs: settleMs };
  throw invalid('duration', text, '--settle', 'Write at most 24h, such as 5m.');
}

async function run(
  session: Session,
  source: string,
  job: Omit<Job, 'confirm' | 'onRowDone'>,
  isConfirmed: boolean,
): Promise<void> {
  const { items } = job;
  let progress: ReturnType<typeof startProgress> | undefined;
  const ending = await runImport({
    ...job,
    async confirm(beforeAsking) {
      const { toCreate, ms } = await showPlan(session, items, 1);
      if (toCreate === 0) return;
      if (!isConfirmed) {
        await beforeAsking();
        await ask(session, toCreate);
      }
      progress = startProgress(session, toCreate, ms);
    },
    onRowDone: () => progress?.step(),
  }).catch((error) => {
    const own = error instanceof Failure ? error.details : {};
    throw withDetails(error, { consequence: 'Nothing was created.', ...own });
  });
  progress?.end();
  await reportEnding(session, source, items, ending);
}

async function ask(session: Session, toCreate: number): Promise<void> {
  const what = countOf(toCreate, 'category', 'categories');
  const where = onProfile(session, session.settings.get('base-url')?.value);
  if (await session.context.confirm(`Create ${what}${where}?`)) return;
  throw new Failure('interrupted', 'cancelled', { outcome: 'not_sent', exitCode: 2 });
}

function startProgress({ context, report }: Session, total: number, forecastMs: number) {
  const startedAt = context.uptime();
  let done = 0;
  const show = (over = false) => {
    const leftMs = startedAt + forecastMs - context.uptime();
    report({ event: 'progress', done, total, ...(leftMs > 0 && { leftMs }), over });
  };
  show();
  return {
    step() {
      done += 1;
      show();
    },
    end: () => show(true),
  };
}
