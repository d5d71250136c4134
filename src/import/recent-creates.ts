import type { Context } from '../context.ts';
import { maxLagMs } from './ledger.ts';
import type { TurnValue } from './turn-cell.ts';

type Created = NonNullable<TurnValue['created']>;

/** Returns ids under which machines have just created these names. A list that lacks one is out of date. */
export type FindRecent = (names: readonly string[]) => string[];

/** Five times what the largest plan lets through in a minute. */
const maxCreated = 5_000;

/** What machines that share a store have created within a minute. The value of the turn carries it from one to the next. */
export class RecentCreates {
  readonly #uptime: Context['uptime'];
  readonly #hashName: (name: string) => string;
  #ours: { readonly key: string; readonly id: string; readonly notedAt: number }[] = [];

  /** @param hashName returns a hash of name and account */
  constructor({ uptime }: Pick<Context, 'uptime'>, hashName: (name: string) => string) {
    this.#uptime = uptime;
    this.#hashName = hashName;
  }

  note(name: string, id: string): void {
    this.#ours.push({ key: this.#hashName(name), id, notedAt: this.#uptime() });
  }

  /** Returns what a value has, and ours, by the clock of its cell. */
  addOurs(value: TurnValue | undefined, now: number): Created | undefined {
    const uptime = this.#uptime();
    this.#ours = this.#ours.filter(({ notedAt }) => uptime - notedAt < maxLagMs).slice(-maxCreated);
    const ours = this.#ours.map(({ key, id, notedAt }) => ({
      key,
      id,
      at: now - uptime + notedAt,
    }));
    const own = new Set(ours.map(({ key, id }) => key + id));
    const others = keepRecent(value, now).filter(({ key, id }) => !own.has(key + id));
    const created = [...others, ...ours].slice(-maxCreated);
    return created.length > 0 ? created : undefined;
  }

  findIn(value: TurnValue | undefined, now: number): FindRecent {
    const created = keepRecent(value, now);
    return (names) => {
      if (created.length === 0) return [];
      const keys = new Set(names.map(this.#hashName));
      return created.filter(({ key }) => keys.has(key)).map(({ id }) => id);
    };
  }
}

function keepRecent(value: TurnValue | undefined, now: number): Created {
  return (value?.created ?? []).filter(({ at }) => Math.abs(now - at) < maxLagMs);
}
