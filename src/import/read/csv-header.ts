import { positionAfter } from '../../json/position.ts';
import { nearest } from '../../text/nearest.ts';
import { fieldStarts, positionOfField, type WrittenRecord } from './csv-record.ts';
import { Fault, type Faults, quoted, stopAt } from './faults.ts';
import { type Rows, rowFields } from './rows.ts';

/** How many fields each row has, and which of them are what, counted from 0. */
export type CsvHeader = {
  readonly width: number;
  readonly name: number;
  readonly description: number | undefined;
};

const columns = [...rowFields, 'id'];
/** An id is passed over, so that a printed list can be imported. */
const knownColumns = `columns: ${rowFields.join(', ')}`;

/** @throws Fault when there is no column for the names */
export function readHeader(
  record: WrittenRecord,
  titles: readonly string[],
  rows: Rows,
  faults: Faults,
): CsvHeader {
  refuseSeparator(record, titles);
  const found = new Map<string, number>();
  let { position } = record;
  let placed = 0;
  let index = 0;
  for (const start of fieldStarts(record)) {
    position = positionAfter(position, record.text, placed, start);
    placed = start;
    takeTitle(titles[index] ?? '', index);
    index += 1;
  }
  const name = found.get('name');
  if (name === undefined) throw stopAt(record.position, 'missing column "name"');
  return { width: titles.length, name, description: found.get('description') };

  /** A title that is nearly right is a fault too, but its column can be judged. */
  function takeTitle(title: string, at: number): void {
    const column = columns.find((known) => known === title.trim().toLowerCase());
    if (column === undefined) {
      const meant = nearest(title.trim().toLowerCase(), columns);
      const help = meant === undefined ? knownColumns : `did you mean "${meant}"?`;
      faults.add(position, `unknown column ${quoted(title)}; ${help}`);
    } else if (found.has(column)) {
      faults.add(position, `duplicate column "${column}"`);
    } else {
      found.set(column, at);
      if (column !== title) {
        faults.add(position, `unknown column ${quoted(title)}; did you mean "${column}"?`);
      } else if (column === 'id') {
        rows.passOverIds('column');
      }
    }
  }
}

/** What to do about another separator than that of the format. */
const hints: Readonly<Record<string, string>> = {
  ',': 'For comma-separated values: --format csv',
  '\t': 'For tab-separated values: --format tsv',
  ';': 'Save it with commas, in a spreadsheet as "CSV UTF-8 (comma delimited)", or with tabs as .tsv.',
};

/** @throws Fault when all titles are one, with another separator in it */
function refuseSeparator({ position, separator }: WrittenRecord, titles: readonly string[]): void {
  const [only = '', ...others] = titles;
  const found = Object.keys(hints).find((other) => other !== separator && only.includes(other));
  if (found === undefined || others.length > 0) return;
  throw stopAt(
    position,
    `the separator must be a ${separator === ',' ? 'comma' : 'tab'}`,
    hints[found],
  );
}

/** What is wrong with a row that has so many fields; undefined when they are as many as the header has. */
export function faultOfWidth(
  record: WrittenRecord,
  found: number,
  { width }: CsvHeader,
): Fault | undefined {
  if (found === width) return undefined;
  const expected = `${width} ${width === 1 ? 'field' : 'fields'}`;
  const position = positionOfField(record, found > width ? width : 0);
  return new Fault(position, `expected ${expected}, got ${found}`);
}
