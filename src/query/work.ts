import { Failure } from '../errors.ts';
import { isJsonObject, type Json } from '../json/exact.ts';
import { thousands } from '../text/number.ts';

/** Counts what an expression makes a process do: a short one can double a list again and again. */
export type Work = {
  /** @throws Failure (usage) when it becomes too much */
  readonly spend: (steps: number) => void;
};

/** A second or two, and more for each element of a long list. */
const mostSteps = { atLeast: 10_000_000, perElement: 1_000 };
/** In steps: what is made stays in memory. */
export const perValue = 5;

const hint = 'To process the whole result with another program: -o ndjson';

/** @param data what the expression is given */
export function createWork(data: Json): Work {
  const elements = Array.isArray(data) ? data.length : 0;
  let left = mostSteps.atLeast + elements * mostSteps.perElement;
  return {
    spend(steps) {
      left -= steps;
      if (left < 0) throw failure('too much work for one result');
    },
  };
}

const most = { values: 10_000_000, perElement: 1_000_000, text: 400_000_000, depth: 64 };

/** Takes as many elements as can be in memory and be printed: one with the same part many times takes far more room as text. */
export type Room = {
  /** @throws Failure (usage) for what is more than that */
  readonly take: (elements: readonly Json[]) => void;
};

export function createRoom(): Room {
  let values = 0;
  let before = 0;
  let text = 0;
  return {
    take(elements) {
      for (const element of elements) {
        before = values;
        measure(element, 1);
      }
    },
  };

  function measure(value: Json, depth: number): void {
    values += 1;
    if (depth > most.depth) throw failure(`nested more than ${most.depth} levels deep`);
    if (values > most.values) throw failure(`more than ${thousands(most.values)} values`);
    if (values - before > most.perElement) {
      throw failure(`more than ${thousands(most.perElement)} values in one element`);
    }
    if (typeof value === 'string') measureText(value);
    else if (Array.isArray(value)) for (const item of value) measure(item, depth + 1);
    else if (isJsonObject(value)) {
      for (const name of Object.keys(value)) {
        measureText(name);
        measure(value[name] ?? null, depth + 1);
      }
    }
  }

  function measureText({ length }: string): void {
    text += length;
    if (text > most.text) throw failure(`more than ${thousands(most.text)} characters`);
  }
}

function failure(message: string): Failure {
  return new Failure('usage', `--query failed: ${message}`, { hint });
}
