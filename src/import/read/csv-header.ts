import { positionAfter } from '../../json/position.ts';
import { nearest } from '../../text/nearest.ts';
import { fieldStarts, type WrittenRecord } from './csv-record.ts';
import { type Faults, quoted, stopAt } from './faults.ts';
import { type Rows, rowFields } from './rows.ts';

/** How many fields each row has, and which of them are what, counted from 0. */
export type CsvHeader = {
  readonly width: number;
  readonly name: number;
  readonly description: number | undefined;
};

const columns = [...rowFields, 'id'];
/** An id is passed over, so that an exported list can be imported. */
const knownColumns = `columns: ${rowFields.join(', ')}`;

/** @throws Fault when there is no column for the names */
export function readHeader(
  record: WrittenRecord,
  titles: readonly string[],
  rows: Rows,
  faults: Faults,
): CsvHeader {
  if (titles.length === 1 && /[;\t]/.test(titles[0] ?? '')) {
    throw stopAt(record.position, 'the separator must be a comma');
  }
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
