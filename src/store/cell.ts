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

export function memoryCell<Value>(value?: Value): Cell<Value> {
  let current: Seen<Value> = { value, version: '0' };
  return {
    read: () => current,
    replace({ version }, value) {
      if (version !== current.version) return false;
      current = { value, version: String(Number(version) + 1) };
      return true;
    },
  };
}

/** Returns a cell that goes on in memory if its first read or a write fails, unless `onFailure` throws. */
export function orInMemory<Value>(
  cell: Cell<Value>,
  onFailure: (error: unknown) => void,
): Cell<Value> {
  let current = cell;
  let wasRead = false;
  const goOn = (error: unknown, value?: Value) => {
    onFailure(error);
    current = memoryCell(value);
  };
  return {
    async read() {
      try {
        return await current.read();
      } catch (error) {
        if (wasRead) throw error;
        goOn(error);
        return current.read();
      } finally {
        wasRead = true;
      }
    },
    async replace(seen, next) {
      try {
        return await current.replace(seen, next);
      } catch (error) {
        goOn(error, seen.value);
        return false;
      }
    },
  };
}
