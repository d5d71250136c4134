import type { Category } from '../../../api/resources.ts';
import { explained, Failure } from '../../../errors.ts';
import type { Input } from '../../../import/input.ts';
import { count, type RowOutcome } from '../../../import/outcome.ts';
import type { Plan } from '../../../import/plan.ts';
import { ExactNumber, exact, type JsonObject } from '../../../json/json.ts';
import { inBatches, type Printer } from '../../../output/printer.ts';
import { formatCount } from '../../../time.ts';
import { forecastFields } from './forecast-words.ts';
import type { KnownLimit } from './known-limit.ts';
import { countsInWords, forecastOf } from './words.ts';

/** What is told of each row of a plan, and of what became of it. */
export const planColumns = ['line', 'name', 'intention', 'id', 'looksLike'];
export const outcomeColumns = ['line', 'name', 'outcome', 'id', 'as', 'status', 'code', 'message'];

/** Prints the plan: how many rows of each kind; other formats have every row. */
export async function printPlan(
  output: Printer,
  plan: Plan,
  input: Input,
  limit: KnownLimit,
): Promise<void> {
  const forecast = forecastOf(plan, limit, 0);
  const counts = count(plan.intentions);
  const others = new Map(plan.similar.map(({ row, other }) => [row, other]));
  const head = {
    ...headOf(input, counts),
    requests: exact(forecast.requests),
    forecast: forecastFields(forecast, limit),
  };
  await output.print({
    data: inBatches(input.rows.length, (row) => ({
      ...rowFields(input, row),
      intention: plan.intentions[row],
      id: idOf(plan.ids.get(row)),
      looksLike: others.get(row),
    })),
    head,
    columns: planColumns,
    lines: countLines(counts),
  });
}

/** Prints what became of the rows: how many of each kind; other formats have every row, JSON and YAML the copies that no row accounts for. */
export async function printOutcomes(
  output: Printer,
  outcomes: readonly RowOutcome[],
  copies: readonly Category[],
  input: Input,
): Promise<void> {
  const counts = count(outcomes.map(({ outcome }) => outcome));
  const head = {
    ...headOf(input, counts),
    copies: [...copies],
  };
  await output.print({
    data: inBatches(outcomes.length, (row) => {
      const { outcome, id, as, refusal } = outcomes[row] ?? {};
      return {
        ...rowFields(input, row),
        outcome,
        id: idOf(id),
        as,
        status: refusal?.status === undefined ? undefined : exact(refusal.status),
        code: refusal?.code,
        message: refusal?.message,
      };
    }),
    head,
    columns: outcomeColumns,
    lines: countLines(counts),
  });
}

/** A result that cannot be printed does not undo what was created. */
export function unprintedOutcomes(
  error: unknown,
  outcomes: readonly RowOutcome[],
  signal: AbortSignal,
): unknown {
  const created = outcomes.filter(({ outcome }) => outcome === 'created').length;
  const consequence = `The import finished: ${formatCount(created)} ${created === 1 ? 'row was' : 'rows were'} created.`;
  const outcome = error instanceof Failure ? ('created' as const) : undefined;
  return explained(error, signal, { consequence, outcome });
}

/** One line for each kind of rows, for people. */
function countLines(counts: Parameters<typeof countsInWords>[0]): string[] {
  return countsInWords(counts).map(({ rows, count }) => `${rows}: ${formatCount(count)}`);
}

function headOf({ source, rows }: Input, counts: ReadonlyMap<string, number>): JsonObject {
  const fields = Object.fromEntries([...counts].map(([word, number]) => [word, exact(number)]));
  return { file: source, rows: exact(rows.length), counts: fields };
}

function rowFields({ rows }: Input, index: number): JsonObject {
  const { line = 0, name = '' } = rows[index] ?? {};
  return { line: exact(line), name };
}

function idOf(id: string | undefined): ExactNumber | undefined {
  return id === undefined ? undefined : new ExactNumber(id);
}
