import type { Engine } from '../../src/context.ts';
import { storeScript } from '../../src/pacing/store/script.ts';

/** What keeps the engine from answering. */
export type EngineFault = 'refuses' | 'silent' | 'full' | 'password' | 'loses the answer';

export type MemoryEngine = {
  /** A connection of its own for each machine. */
  readonly open: () => Engine;
  fault: EngineFault | undefined;
  /** What an answer waits for on its way. */
  delay: (() => Promise<void>) | undefined;
  /** Commands that reached it. */
  commands: number;
  readonly flush: () => void;
  /** A replica takes over that never got the last so many lines. */
  readonly forget: (lines: number) => void;
  readonly keys: () => string[];
  /** All lines that were ever added, in order. */
  readonly lines: string[];
};

type Kept = {
  epoch: string;
  first: number;
  base: string;
  lines: (string | undefined)[];
  /** When it runs out, in ms. */
  until: number;
};

const replies = {
  full: "OOM command not allowed when used memory > 'maxmemory'.",
  password: 'WRONGPASS invalid username-password pair or user is disabled.',
};

/**
 * The store's script as a program of its own, on a clock that tests set; test/hostile/store.test.ts holds it against the real
 * one. `travel` is called when a command has left, and when its answer has.
 */
export function createMemoryEngine(now: () => number, travel = () => {}): MemoryEngine {
  const logs = new Map<string, Kept>();
  const lines: string[] = [];
  const engine: MemoryEngine = {
    fault: undefined,
    delay: undefined,
    commands: 0,
    lines,
    keys: () => [...logs.keys()],
    flush: () => logs.clear(),
    forget(count) {
      for (const log of logs.values()) {
        log.lines.length = Math.max(log.first, log.lines.length - count);
      }
    },
    open: connect,
  };
  return engine;

  function connect(): Engine {
    let answers = 0;
    let connection = 0;
    return {
      async run(script, key, args) {
        const own = connection;
        if (script !== storeScript) throw new Error('an unknown script');
        travel();
        const { fault } = engine;
        if (fault === 'silent') return new Promise(() => {});
        if (fault === 'refuses') {
          throw Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
        }
        if (fault === 'full' || fault === 'password') throw new Error(replies[fault]);
        engine.commands += 1;
        const reply = runScript(key, args);
        travel();
        await engine.delay?.();
        if (fault === 'loses the answer') throw new Error('Connection is closed.');
        if (own !== connection) throw new Error('the connection was given up');
        answers += 1;
        return reply;
      },
      activity: () => answers,
      drop() {
        connection += 1;
      },
    };
  }

  function runScript(key: string, args: readonly string[]): string[] {
    const [epoch = '', at = '0', stamp = '', line = '', ledger = '', fresh = '', ttl = ''] = args;
    const time = String(Math.floor(now()));
    const until = now() + Number(ttl) * 1_000;
    let position = Number(at);
    if ((logs.get(key)?.until ?? 0) <= now()) logs.delete(key);
    let log = logs.get(key);
    let known = log?.epoch === epoch;
    if (!log) {
      if (epoch !== '') return [time, '', '0', '0'];
      log = { epoch: fresh, first: 0, base: ledger, lines: [], until };
      logs.set(key, log);
      [known, position] = [true, 0];
    }
    known &&= position >= log.first && position <= log.lines.length;
    if (known && position > 0) known = log.lines[position - 1]?.startsWith(stamp) ?? false;
    if (!known) {
      const { first, base } = log;
      return [time, log.epoch, ...[first, first].map(String), base, ...rest(log, first)];
    }
    if (ledger !== '' && position > log.first) {
      log.lines.fill(undefined, 0, position - 1);
      Object.assign(log, { base: ledger, first: position });
    }
    if (line !== '') {
      log.until = Math.max(log.until, until);
      log.lines.push(`${time} ${line}`);
      lines.push(`${time} ${line}`);
    }
    return [time, log.epoch, ...[log.first, position].map(String), 'known', ...rest(log, position)];
  }
}

function rest(log: Kept, from: number): string[] {
  return log.lines.slice(from).map((line) => line ?? '');
}
