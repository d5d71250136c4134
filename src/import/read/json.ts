import { ArrayError, createElementSplitter } from '../../json/elements.ts';
import { Fault, stopAt } from './faults.ts';
import { takeObject } from './json-object.ts';
import type { Reader, Rows } from './rows.ts';

const blank = /^[ \t\r\n]*$/;

/** Reads one array of objects. */
export function createJsonReader(rows: Rows): Reader {
  const splitter = createElementSplitter();
  let isBlank = true;
  return {
    read(text) {
      isBlank &&= blank.test(text);
      try {
        for (const element of splitter.split(text)) takeObject(rows, element);
      } catch (error) {
        throw error instanceof ArrayError ? stopAt(error.position, error.reason) : error;
      }
    },
    end() {
      // An empty input has no rows; that is said for all formats alike.
      if (isBlank) return;
      try {
        splitter.end();
      } catch (error) {
        throw error instanceof ArrayError ? new Fault(error.position, error.reason) : error;
      }
    },
  };
}
