import { randomUUID } from 'node:crypto';
import * as z from 'zod/mini';
import type { Context, Engine } from '../context.ts';
import { storeCell } from '../store/store-cell.ts';
import { resetMarginMs } from './decide.ts';
import { dropPermits } from './learn.ts';
import { type Limit, openLimit, type Step } from './limit.ts';
import {
  emptyState,
  isPlausible,
  type Permit,
  type Snapshot,
  type State,
  type Window,
} from './state.ts';
import { snapshotSchema } from './state-schema.ts';

const minLifetimeS = 25 * 3_600;
const retryAfterMs = 5_000;

export function openStoreLimit(engine: Engine, name: string, context: Context): Limit {
  const schema = snapshotSchema.check(z.refine(isPlausible));
  const parse = (json: string) => schema.parse(JSON.parse(json));
  const cell = storeCell(engine, `petstore:lim:${name}`, { parse, lifetimeS }, context);
  const read = async () => {
    const seen = await cell.read();
    return seen.value && seen.isOutdated ? { ...seen, value: withoutEra(seen.value) } : seen;
  };
  const readClocks = ({ now }: { readonly now: number }) => {
    return { wall: now, uptime: now, boot: 'server' };
  };
  return openLimit({ ...cell, read }, readClocks, context.turn);
}

function lifetimeS({ state, stamp }: Snapshot): number {
  const waitS = Math.ceil(Math.max(0, (state.block?.until ?? 0) - stamp.at) / 1_000);
  return minLifetimeS + waitS;
}

function withoutEra({ state, stamp }: Snapshot): Snapshot {
  return { state: { ...state, era: undefined }, stamp };
}

/**
 * Shares a limit with other machines through a store, whose value is the state. This machine keeps a copy of the waits in its own
 * limit, and goes by that while the store fails. An era lasts as long as the store loses no value. When one begins, or this machine
 * has learned something while the store was away, the later end of both counts. `onFailure` is called once, with the reason.
 */
export function shareThrough(
  store: Limit,
  own: Limit,
  { uptime, owner, signal }: Pick<Context, 'uptime' | 'owner' | 'signal'>,
  onFailure: (error: unknown) => void,
): Limit {
  let retryAt = Number.NEGATIVE_INFINITY;
  let wasOffline = false;
  let isReported = false;
  const isRemote = () => uptime() >= retryAt;
  const isOurs = (permit: Permit) =>
    permit.owner.pid === owner.pid && permit.owner.host === owner.host;

  return {
    isRemote,
    async change(step) {
      if (isRemote()) {
        try {
          const result = await changeStore(step);
          wasOffline = false;
          return result;
        } catch (error) {
          retryAt = uptime() + retryAfterMs;
          wasOffline = true;
          if (!isReported && !signal.aborted) onFailure(error);
          isReported = true;
        }
      }
      return own.change((state, now) => {
        const [next, result] = step(state, now, true);
        return [next === state ? state : { ...next, era: undefined }, result];
      });
    },
  };

  async function changeStore<Result>(step: Step<Result>): Promise<Result> {
    const here = await own.change((state, now) => [state, { state, now }]);
    const there = await store.change((before, now) => {
      const known = before.era !== undefined && before.era === here.state.era;
      const current = known ? before : keepLater(before, shift(here.state, now - here.now));
      // The store was not told how our requests ended.
      const told = wasOffline ? dropPermits(current, now, isOurs) : current;
      const [state, result] = step(told, now, false);
      return [state, { state, now, result }];
    });
    await own.change((state, now) => {
      // The reply took its time, so no wait gets shorter on the way.
      const copy = shift(there.state, now - there.now);
      return [isSame(state, copy) ? state : { ...copy, permits: state.permits }, undefined];
    });
    return there.result;
  }
}

/** Returns what a machine keeps of a limit, by a clock that shows `byMs` more. */
function shift({ block, refusals, minute, day, clearedAt, era }: State, byMs: number): State {
  return {
    permits: {},
    block: block && { ...block, since: block.since + byMs, until: block.until + byMs },
    refusals,
    minute: minute && { ...minute, endsAt: minute.endsAt + byMs },
    day: day && { ...day, endsAt: day.endsAt + byMs },
    clearedAt: clearedAt && clearedAt + byMs,
    era,
  };
}

function keepLater(before: State, own: State): State {
  const [theirs, mine] = [sinceCleared(before, own), sinceCleared(own, before)];
  const isLonger = (mine.block?.until ?? 0) > (theirs.block?.until ?? 0);
  const { block, refusals, minute } = isLonger ? mine : theirs;
  return {
    ...theirs,
    // Requests may be in flight that nobody knows of.
    together: 1,
    block,
    refusals,
    // A refusal has voided the minute.
    minute: isLonger ? minute : laterWindow(minute, mine.minute),
    day: laterWindow(theirs.day, mine.day),
    era: before.era ?? randomUUID(),
  };
}

/** Nothing from before a `limits --reset` counts, whichever machine knows of it. */
function sinceCleared(state: State, { clearedAt = 0 }: State): State {
  if ((state.clearedAt ?? 0) >= clearedAt - resetMarginMs) return state;
  const { permits, block } = state;
  const isNewer = block !== undefined && block.since > clearedAt;
  return { ...emptyState, permits, clearedAt, ...(isNewer && { block, refusals: 1 }) };
}

function laterWindow(a: Window | undefined, b: Window | undefined): Window | undefined {
  if (!a || !b) return a ?? b;
  if (isNear(a.endsAt, b.endsAt)) return a.remaining <= b.remaining ? a : b;
  return a.endsAt > b.endsAt ? a : b;
}

function isSame(a: State, b: State): boolean {
  return (
    a.era === b.era &&
    isNear(a.block?.until, b.block?.until) &&
    isNear(a.clearedAt, b.clearedAt) &&
    isSameWindow(a.minute, b.minute) &&
    isSameWindow(a.day, b.day)
  );
}

/** A copy that is written after each response would double what an import writes. */
function isSameWindow(a: Window | undefined, b: Window | undefined): boolean {
  if (!a || !b) return a === b;
  const spent = a.remaining - b.remaining;
  const isFew = spent === 0 || (b.remaining > 0 && spent > 0 && spent < b.limit / 20);
  return isNear(a.endsAt, b.endsAt) && a.limit === b.limit && isFew;
}

/** Replies take their time. */
function isNear(a = 0, b = 0): boolean {
  return Math.abs(a - b) <= resetMarginMs;
}
