export type Cell<Value, Look extends Seen<Value> = Seen<Value>> = {
  readonly read: () => Look | Promise<Look>;
  /** Returns false if the value is no longer the one that was seen; rarely also after the change, if this process was suspended. */
  readonly replace: (seen: Seen<Value>, next: Value) => boolean | Promise<boolean>;
};

/** The value is undefined if none was written yet or all are damaged. Each change has another version. */
export type Seen<Value> = { readonly value: Value | undefined; readonly version: string };

const maxAttempts = 1_000;

/** Changes the value in one step, unless `work` returns none. `work` may run more than once, so it must only compute. */
export async function change<Value, Look extends Seen<Value>, Result>(
  cell: Cell<Value, Look>,
  work: (seen: Look) => readonly [next: NoInfer<Value> | undefined, result: Result],
): Promise<Result> {
  for (let attempt = 0; attempt < maxAttempts; attempt += 1) {
    const seen = await cell.read();
    const [next, result] = work(seen);
    if (next === undefined || (await cell.replace(seen, next))) return result;
  }
  const message = 'gave up after 1,000 attempts: other processes changed it each time';
  throw Object.assign(new Error(message), { code: 'EBUSY' });
}

export function memoryCell<Value>(): Cell<Value> {
  let current: Seen<Value> = { value: undefined, version: '0' };
  return {
    read: () => current,
    replace({ version }, value) {
      if (version !== current.version) return false;
      current = { value, version: String(Number(version) + 1) };
      return true;
    },
  };
}

export type Moves<Value> = {
  /** Returns false for a failure that may pass. */
  readonly isUnusable: (error: unknown) => boolean;
  readonly merge: (there: Value, known: Value) => Value;
  /** Called once another place has turned out to work. If it throws, so does the read. */
  readonly onMove: (reason: unknown, index: number) => void;
};

const maxFailures = 4;

/** Returns a cell in the first place that works, with what the later ones know. If it cannot be used, the next one is from then on. */
export function withFallbacks<Value>(
  cells: readonly Cell<Value>[],
  { isUnusable, merge, onMove }: Moves<Value>,
): Cell<Value> {
  let index = 0;
  const failures = { read: 0, replace: 0 };
  let reason: unknown;
  let hasLooked = false;
  /** From another place, until it is written in this one. */
  let known: Value | undefined;
  return {
    async read() {
      for (;;) {
        try {
          const seen = await (cells[index] as Cell<Value>).read();
          await lookElsewhere();
          if (reason !== undefined) onMove(reason, index);
          reason = undefined;
          failures.read = 0;
          return { ...seen, value: both(seen.value, known) };
        } catch (error) {
          fail(error, 'read');
        }
      }
    },
    async replace(seen, next) {
      try {
        const isReplaced = await (cells[index] as Cell<Value>).replace(seen, next);
        failures.replace = 0;
        if (isReplaced) known = undefined;
        return isReplaced;
      } catch (error) {
        known = seen.value;
        fail(error, 'replace');
        // The next place may have a value of its own, which has to be read first.
        return false;
      }
    },
  };

  /** A process that could not use this place may have gone on in a later one. */
  async function lookElsewhere(): Promise<void> {
    if (hasLooked) return;
    hasLooked = true;
    for (const cell of cells.slice(index + 1)) {
      try {
        known = both((await cell.read()).value, known);
      } catch {}
    }
  }

  function both(there: Value | undefined, mine: Value | undefined): Value | undefined {
    return there !== undefined && mine !== undefined ? merge(there, mine) : (there ?? mine);
  }

  function fail(error: unknown, what: keyof typeof failures): void {
    failures[what] += 1;
    if (!isUnusable(error)) {
      if (failures[what] < maxFailures) return;
      // What is there counts, although it cannot be read. What cannot be written can be written elsewhere.
      if (what === 'read') throw error;
    }
    if (index === cells.length - 1) throw error;
    reason ??= error;
    index += 1;
  }
}
