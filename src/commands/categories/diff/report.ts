import { count } from '../../../import/outcome.ts';
import type { Input } from '../../../import/read/input.ts';
import { ExactNumber, exact, type JsonObject } from '../../../json/json.ts';
import type { Line } from '../../../output/sink.ts';
import { formatCount } from '../../../time.ts';
import type { Comparison } from './compare.ts';

export const diffColumns = ['change', 'line', 'name', 'id', 'description', 'serviceDescription'];

/** How many there are of each kind; `repeated` are rows whose name is in an earlier row. */
export type Counts = Readonly<
  Record<'create' | 'similar' | 'differs' | 'only_in_service' | 'existing' | 'repeated', number>
>;

export function countChanges({ plan, others }: Comparison): Counts {
  const rows = count(plan.intentions);
  const of = (intention: 'create' | 'similar' | 'differs' | 'existing' | 'repeated') =>
    rows.get(intention) ?? 0;
  return {
    create: of('create'),
    similar: of('similar'),
    differs: of('differs'),
    only_in_service: others.length,
    existing: of('existing'),
    repeated: of('repeated'),
  };
}

export function headOf({ source, rows }: Input, counts: Counts): JsonObject {
  const fields = Object.entries(counts).map(([kind, number]) => [kind, exact(number)]);
  return { file: source, rows: exact(rows.length), counts: Object.fromEntries(fields) };
}

/** What differs: rows in the order of the file, and then what the service alone has. */
export function changesOf({ plan, found, others }: Comparison, { rows }: Input): JsonObject[] {
  const { intentions, ids } = plan;
  const changed = [...intentions.keys()].filter((row) =>
    ['create', 'similar', 'differs'].includes(intentions[row] ?? ''),
  );
  const inFile = changed.map((row) => {
    const { line = 0, name, description } = rows[row] ?? {};
    const id = ids.get(row);
    return {
      change: intentions[row],
      line: exact(line),
      name,
      id: id === undefined ? undefined : new ExactNumber(id),
      description,
      serviceDescription: id === undefined ? undefined : found.get(id)?.description,
    };
  });
  const inService = others.map(({ id, name, description }) => ({
    change: 'only_in_service',
    name,
    id,
    serviceDescription: description,
  }));
  return [...inFile, ...inService];
}

/** Describes a change in a line for people. */
export function describe({ change, name, description, serviceDescription }: JsonObject): Line {
  switch (change) {
    case 'create':
    case 'similar':
      return { style: 'green', text: `+ ${name}` };
    case 'differs': {
      const there = serviceDescription === undefined ? 'no description' : `"${serviceDescription}"`;
      const text = `~ ${name}: ${there} in the service, "${description}" in the file`;
      return { style: 'yellow', text };
    }
    default:
      return { style: 'red', text: `- ${name}` };
  }
}

export function totalOf(counts: Counts): string {
  const { create, similar, differs, only_in_service: others, existing } = counts;
  return [
    `${formatCount(create)} to create (+)`,
    ...(similar > 0 ? [`${formatCount(similar)} similar (+)`] : []),
    `${formatCount(differs)} different (~)`,
    `${formatCount(others)} only in the service (-)`,
    `${formatCount(existing)} the same (=)`,
  ].join(', ');
}
