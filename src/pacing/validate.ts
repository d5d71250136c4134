import { maxRetryAfterMs } from '../api/limits.ts';
import { isOwner } from '../disk/owner.ts';
import type { Block } from './ledger.ts';

/** No Date lies farther from 1970, in ms, and sums of such numbers stay finite. */
const most = 8.64e15;
/** The longest told wait and what comes on top of it, in ms. */
const longestBlock = maxRetryAfterMs + 600_000;

const window = ['limit', 'remaining', 'reset', 'expected'];
/** The parts of a ledger that may be there, and the numbers in each. */
const parts: Readonly<Record<string, readonly string[]>> = {
  minute: window,
  day: window,
  offset: ['low', 'high'],
  block: ['since', 'until'],
  others: ['until', 'jitter'],
  apart: ['until', 'taken', 'during', 'seen'],
  counted: ['since', 'requests'],
  store: ['until', 'at'],
};

// By hand: with zod a full log takes 20 ms instead of 1 ms, at each start.
/** Whether a value that was read from a file is a ledger of ours as a whole: what is believed here holds for all who come later. */
export function isLedger(value: unknown): boolean {
  if (!isRecord(value) || !isRecord(value.inFlight) || !Number.isFinite(value.refusals))
    return false;
  const { latest, workedAt, cleared, block, boot, store } = value;
  return (
    [latest, workedAt, cleared].every((time) => time === undefined || Number.isFinite(time)) &&
    Object.entries(parts).every(
      ([name, numbers]) => value[name] === undefined || hasNumbers(value[name], numbers),
    ) &&
    // Nothing that was told lasts longer, and a block comes with a line that told the time.
    (block === undefined || (block as Block).until <= Number(latest) + longestBlock) &&
    (boot === undefined || isBoot(boot)) &&
    (store === undefined || isStoreMark(store)) &&
    Object.values(value.inFlight).every(isLease)
  );
}

function isLease(value: unknown): boolean {
  return (
    hasNumbers(value, ['at', 'until', 'block']) &&
    (value.until as number) <= most &&
    (value.owner === undefined || isOwner(value.owner))
  );
}

export function isBoot(value: unknown): boolean {
  return isRecord(value) && typeof value.id === 'string' && isNumber(value.at);
}

export function isStoreMark(value: unknown): boolean {
  return isRecord(value) && typeof value.epoch === 'string' && isNumber(value.until);
}

export function isNumber(value: unknown): boolean {
  return typeof value === 'number' && Math.abs(value) <= most;
}

function hasNumbers(
  value: unknown,
  names: readonly string[],
): value is Readonly<Record<string, unknown>> {
  return isRecord(value) && names.every((name) => Number.isFinite(value[name]));
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
