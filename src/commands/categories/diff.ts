import { type Command, Option } from 'commander';
import { readCategories } from '../../api/client.ts';
import type { Category } from '../../api/resources.ts';
import { Exit } from '../../errors.ts';
import { looseKey } from '../../import/content.ts';
import { type Input, type InputFormat, inputFormats, readInput } from '../../import/input.ts';
import { emptyState } from '../../import/journal-state.ts';
import { count } from '../../import/outcome.ts';
import { dropSimilar, makePlan, type Plan } from '../../import/plan.ts';
import type { Row } from '../../import/rows.ts';
import { ExactNumber, exact, type JsonObject } from '../../json/json.ts';
import type { Line } from '../../output/sink.ts';
import type { App } from '../../session/app.ts';
import { type Session, withSession } from '../../session/session.ts';
import { formatCount } from '../../time.ts';
import { addExamples, addNotes } from '../help.ts';
import { duplicatesInWords, odditiesInWords, say } from './import/words.ts';

const columns = ['change', 'line', 'name', 'id', 'description', 'serviceDescription'];

/** The exit code if an import would create a category, or find another description. */
const somethingToImport = 7;

export function define(command: Command, app: App): void {
  addExamples(command, [
    'petstore categories diff pets.csv || echo "exit code $?"',
    'petstore categories list -o csv | petstore categories diff - --format csv',
  ]);
  addNotes(command, [
    [
      'Lines:',
      [
        ['+ name', 'the service does not have it: an import would create it'],
        ['~ name', 'it exists with a different description: an import leaves it unchanged'],
        ['- name', 'the file does not have it: an import leaves it unchanged'],
      ],
    ],
    'An import with --yes does not create a name that is similar to an existing one (Dog and dog).',
    'Costs one request and changes nothing. Exit code 0: no + and no ~ (there may be -); 7: at least one + or ~.',
  ]);
  command
    .argument('<file>', 'file of categories as for import, or - for standard input')
    .addOption(
      new Option('--format <format>', 'input format (default: by file extension)').choices(
        inputFormats,
      ),
    )
    .action((file: string, { format }: { readonly format?: InputFormat }) =>
      withSession(app, command, (session) => printDiff(session, file, format)),
    );
}

async function printDiff(
  session: Session,
  file: string,
  format: InputFormat | undefined,
): Promise<void> {
  const { output } = session;
  output.checkColumns(columns);
  const input = await readInput(session, file, format);
  const comparison = compare(input.rows, await readCategories(await session.client()));

  const { plan } = comparison;
  say(session, [...duplicatesInWords(plan), ...odditiesInWords(plan, input)]);
  const counts = countChanges(comparison);
  const changes = listChanges(comparison, input);
  await output.print({
    data: changes,
    head: summarize(input, counts),
    columns,
    lines: [...changes.map(describeChange), describeCounts(counts)],
  });
  if (counts.create + counts.similar + counts.differs > 0) throw new Exit(somethingToImport);
}

type Comparison = {
  /** The plan of an import of these rows. */
  readonly plan: Plan;
  /** The service's categories with a name of the file, exactly or loosely, by id. */
  readonly found: ReadonlyMap<string, Category>;
  /** The service's categories whose name is in no row. */
  readonly others: readonly Category[];
};

function compare(rows: readonly Row[], list: readonly Category[]): Comparison {
  const names = new Set(rows.map(({ name }) => name));
  const looseNames = new Set(rows.map(({ name }) => looseKey(name)));
  // A plan looks at these alone: the list may be many times as long as the file.
  const near: Category[] = [];
  const others: Category[] = [];
  for (const category of list) {
    const isNamed = names.has(category.name);
    if (!isNamed) others.push(category);
    if (isNamed || looseNames.has(looseKey(category.name))) near.push(category);
  }
  const plan = dropSimilar(makePlan('ensure', rows, near, emptyState()), ({ listed }) => listed);
  return { plan, found: new Map(near.map((category) => [category.id.text, category])), others };
}

/** The number of each kind; `repeated` are rows whose name is in an earlier row. */
type Counts = Readonly<
  Record<'create' | 'similar' | 'differs' | 'only_in_service' | 'existing' | 'repeated', number>
>;

function countChanges({ plan, others }: Comparison): Counts {
  const rows = count(plan.intentions);
  return {
    create: rows.get('create') ?? 0,
    similar: rows.get('similar') ?? 0,
    differs: rows.get('differs') ?? 0,
    only_in_service: others.length,
    existing: rows.get('existing') ?? 0,
    repeated: rows.get('repeated') ?? 0,
  };
}

/** Lists the changes: rows in the order of the file, then what only the service has. */
function listChanges({ plan, found, others }: Comparison, { rows }: Input): JsonObject[] {
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

function summarize({ source, rows }: Input, counts: Counts): JsonObject {
  const fields = Object.entries(counts).map(([kind, number]) => [kind, exact(number)]);
  return { file: source, rows: exact(rows.length), counts: Object.fromEntries(fields) };
}

function describeChange({ change, name, description, serviceDescription }: JsonObject): Line {
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

function describeCounts(counts: Counts): string {
  const { create, similar, differs, only_in_service: others, existing } = counts;
  return [
    `${formatCount(create)} to create (+)`,
    ...(similar > 0 ? [`${formatCount(similar)} similar (+)`] : []),
    `${formatCount(differs)} different (~)`,
    `${formatCount(others)} only in the service (-)`,
    `${formatCount(existing)} the same (=)`,
  ].join(', ');
}
