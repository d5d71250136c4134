import { join } from 'node:path';
import type { EngineAddress } from '../../src/context.ts';
import { createMemoryEngine, type MemoryEngine } from './memory-engine.ts';
import { test as base, type Fixtures, type RunOptions } from './petstore.ts';

/** The store of all machines, and how it may be shown. */
export const storePassword = 'p4ss-w0rd-of-the-store';
export const storeUrl = `redis://ci:${storePassword}@limits.example:7000/2`;
export const shownUrl = 'redis://limits.example:7000/2';

type Run = (
  machine: string,
  argv: readonly string[],
  options?: RunOptions,
) => ReturnType<Fixtures['petstore']>;

/** Machines that share nothing but an engine. */
export type Machines = {
  readonly engine: MemoryEngine;
  /** Of all connections that were opened. */
  readonly addresses: EngineAddress[];
  /** Runs the program on the machine of that name. */
  readonly run: Run;
};

export const test = base.extend<{ machines: Machines }>({
  machines: ({ petstore, folder, clock }, use) => {
    const engine = createMemoryEngine(clock.service);
    const addresses: EngineAddress[] = [];
    const openEngine = async (address: EngineAddress) => {
      addresses.push(address);
      return engine.open();
    };
    const run: Run = (machine, argv, { env, context, secrets = [], ...options } = {}) =>
      petstore(argv, {
        ...options,
        secrets: [storePassword, ...secrets],
        env: {
          PETSTORE_SHARED_STORE: storeUrl,
          PETSTORE_STATE_DIR: join(folder, machine),
          ...env,
        },
        context: { openEngine, owner: { pid: 4242, host: machine }, boot: machine, ...context },
      });
    return use({ engine, addresses, run });
  },
});
