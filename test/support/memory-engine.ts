import type { Engine } from '../../src/context.ts';
import { storeScript } from '../../src/store/store-cell.ts';

/** Why no command gets a reply that can be used. */
export type EngineFault = 'refuses' | 'silent' | 'full' | 'password' | 'loses the reply';

export type MemoryEngine = {
  /** Opens a connection of its own for each machine. */
  readonly open: () => Engine;
  fault: EngineFault | undefined;
  /** Is awaited before each reply. */
  delay: (() => Promise<void>) | undefined;
  /** How many commands reached it. */
  commands: number;
  /** How many values were put there. */
  changes: number;
  /** Lets the connections that are open now never reply again. */
  readonly mute: () => void;
  readonly flush: () => void;
  readonly keys: () => string[];
  /** Returns the value of a key. */
  readonly text: (key: string) => string;
  /** Puts a value there by hand. */
  readonly put: (key: string, value: string) => void;
};

type Held = { readonly version: string; readonly value: string; readonly until: number };

const errors = {
  full: "OOM command not allowed when used memory > 'maxmemory'.",
  password: 'WRONGPASS invalid username-password pair or user is disabled.',
};

/** Runs the script of the store on a clock that tests set. test/hostile/store.test.ts compares it with the real ones. */
export function createMemoryEngine(now: () => number): MemoryEngine {
  const held = new Map<string, Held>();
  let era = 0;
  const engine: MemoryEngine = {
    fault: undefined,
    delay: undefined,
    commands: 0,
    changes: 0,
    mute() {
      era += 1;
    },
    keys: () => [...held.keys()],
    flush: () => held.clear(),
    text: (key) => held.get(key)?.value ?? '',
    put: (key, value) => held.set(key, { version: 'by hand', value, until: Infinity }),
    open() {
      let connectedIn: number | undefined;
      return {
        run(...command) {
          connectedIn ??= era;
          return connectedIn < era ? new Promise(() => {}) : run(...command);
        },
        drop() {
          connectedIn = undefined;
        },
      };
    },
  };
  return engine;

  async function run(script: string, key: string, args: readonly string[]): Promise<string[]> {
    if (script !== storeScript) throw new Error('an unknown script');
    const { fault } = engine;
    if (fault === 'silent') return new Promise(() => {});
    if (fault === 'refuses') {
      throw Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
    }
    if (fault === 'full' || fault === 'password') throw new Error(errors[fault]);
    engine.commands += 1;
    const reply = runScript(key, args);
    await engine.delay?.();
    if (fault === 'loses the reply') throw new Error('Connection is closed.');
    return reply;
  }

  function runScript(key: string, [seen, version = '', value = '', ttl]: readonly string[]) {
    const time = String(Math.floor(now()));
    const there = held.get(key);
    const current = there && there.until > now() ? there : undefined;
    if (version === '' || (current?.version ?? '') !== seen) {
      return [time, current?.version ?? '', current?.value ?? ''];
    }
    held.set(key, { version, value, until: now() + Number(ttl) * 1_000 });
    engine.changes += 1;
    return [time, version, ''];
  }
}
