import { maxLagMs } from './ledger.ts';
import type { TurnValue } from './turn-cell.ts';

type Created = NonNullable<TurnValue['created']>;

/** Returns ids under which other machines have just created these names. A list that lacks one is out of date. */
export type FindRecent = (names: readonly string[]) => string[];

/** As many as the largest plan lets through in a minute. */
const maxCreated = 1_000;

/** What machines that share a store created just before they gave the turn back. They share no ledger. */
export class RecentCreates {
  readonly #hashName: (name: string) => string;
  #ours: Pick<Created[number], 'key' | 'id'>[] = [];

  /** @param hashName returns a hash of name and account */
  constructor(hashName: (name: string) => string) {
    this.#hashName = hashName;
  }

  note(name: string, id: string): void {
    this.#ours.push({ key: this.#hashName(name), id });
  }

  /** A list has shown ours. */
  forgetOurs(): void {
    this.#ours = [];
  }

  addOurs(value: TurnValue | undefined, now: number): Created {
    const ours = this.#ours.map((each) => ({ ...each, at: now }));
    return [...leaveRecent(value, now), ...ours].slice(-maxCreated);
  }

  findIn(value: TurnValue | undefined, now: number): FindRecent {
    const created = leaveRecent(value, now);
    return (names) => {
      if (created.length === 0) return [];
      const keys = new Set(names.map(this.#hashName));
      return created.filter(({ key }) => keys.has(key)).map(({ id }) => id);
    };
  }
}

function leaveRecent(value: TurnValue | undefined, now: number): Created {
  return (value?.created ?? []).filter(({ at }) => Math.abs(now - at) < maxLagMs);
}
