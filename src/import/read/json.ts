import { createElementSplitter, expectedArray } from '../../json/elements.ts';
import { JsonError } from '../../json/json.ts';
import { type Position, positionAfter, startOfText } from '../../json/position.ts';
import { Fault, stopAt } from './faults.ts';
import { takeObject } from './json-object.ts';
import type { Reader, Rows } from './rows.ts';

const oneALine = 'For one object per line: --format ndjson';

const blank = /^[ \t\r\n]*$/;

/** Reads one array of objects. */
export function createJsonReader(rows: Rows): Reader {
  const splitter = createElementSplitter(({ text, offset }) =>
    takeObject(rows, text, positionAt(offset)),
  );
  let isBlank = true;
  /** The text from the last known position on. */
  let recent = '';
  let known = { offset: 0, position: startOfText };

  return {
    read(part) {
      isBlank &&= blank.test(part);
      recent += part;
      orFault(() => splitter.split(part), stopAt);
    },
    end() {
      // An empty input has no rows; that is said for all formats alike.
      if (!isBlank) orFault(splitter.end, (position, reason) => new Fault(position, reason));
    },
  };

  function orFault(read: () => void, fault: typeof stopAt): void {
    try {
      read();
    } catch (error) {
      if (!(error instanceof JsonError)) throw error;
      const position = positionAt(error.offset);
      throw error.reason === expectedArray
        ? stopAt(position, 'expected a JSON array such as [{"name": "dog"}]', oneALine)
        : fault(position, error.reason);
    }
  }

  /** Where the text has this character, counted from 0; none that was asked for before is behind it. */
  function positionAt(offset: number): Position {
    const passed = offset - known.offset;
    known = { offset, position: positionAfter(known.position, recent, 0, passed) };
    recent = recent.slice(passed);
    return known.position;
  }
}
