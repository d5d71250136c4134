import type { Engine } from '../../src/context.ts';

/** Why no command gets a reply that can be used. */
export type EngineFault = keyof typeof errors;

export type MemoryEngine = {
  /** Opens a connection of its own for each machine. */
  readonly open: () => Engine;
  fault: EngineFault | undefined;
  /** Is awaited before each reply. */
  delay: (() => Promise<void>) | undefined;
  /** Starts it again with the values of an earlier moment, which this one returns: none to begin with. */
  readonly restore: (values?: Values) => void;
  readonly save: () => Values;
  readonly flush: () => void;
  readonly keys: () => string[];
  /** Returns the value of a key. */
  readonly text: (key: string) => string;
  /** Puts a value there by hand. */
  readonly put: (key: string, value: string) => void;
};

type Held = {
  readonly version: string;
  readonly value: string;
  readonly until: number;
  readonly run: number;
};
type Values = ReadonlyMap<string, Held>;

const errors = {
  refuses: 'connect ECONNREFUSED',
  silent: 'Command timed out',
  full: "OOM command not allowed when used memory > 'maxmemory'.",
  password: 'WRONGPASS invalid username-password pair or user is disabled.',
  'wants a login': 'NOAUTH Authentication required.',
  untrusted: 'self-signed certificate',
  crowded: 'ERR max number of clients reached',
  'loses the reply': 'Connection is closed.',
};

const codes: Readonly<Record<string, string>> = {
  refuses: 'ECONNREFUSED',
  untrusted: 'DEPTH_ZERO_SELF_SIGNED_CERT',
};

export function isFault(word: string): word is EngineFault {
  return word in errors;
}

/** Runs the script of the store on a clock that tests set. test/hostile/store.test.ts compares it with the real ones. */
export function createMemoryEngine(now: () => number): MemoryEngine {
  let held = new Map<string, Held>();
  let run = 1;
  const engine: MemoryEngine = {
    fault: undefined,
    delay: undefined,
    save: () => new Map(held),
    restore(values = new Map()) {
      held = new Map(values);
      run += 1;
    },
    keys: () => [...held.keys()],
    flush: () => held.clear(),
    text: (key) => held.get(key)?.value ?? '',
    put: (key, value) => held.set(key, { version: 'by hand', value, until: Infinity, run }),
    open: () => ({ swap }),
  };
  return engine;

  async function swap(key: string, args: readonly string[]): Promise<unknown> {
    const { fault } = engine;
    if (fault && fault !== 'loses the reply') {
      throw Object.assign(new Error(errors[fault]), { code: codes[fault] });
    }
    const reply = runScript(key, args);
    await engine.delay?.();
    if (fault) throw new Error(errors[fault]);
    return reply;
  }

  function runScript(key: string, [seen, version = '', value = '', ttl]: readonly string[]) {
    const time = String(Math.floor(now()));
    const there = held.get(key);
    const current = there && there.until > now() ? there : undefined;
    if (version === '' || (current?.version ?? '') !== seen) {
      return [time, current?.version ?? '', current?.value ?? '', Number(current?.run === run)];
    }
    held.set(key, { version, value, until: now() + Number(ttl) * 1_000, run });
    return [time, version, '', 1];
  }
}
