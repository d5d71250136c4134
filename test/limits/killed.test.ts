import { describe } from 'vitest';
import { startTime } from '../support/clock.ts';
import { expect, type Fixtures, reply, silence, test } from '../support/petstore.ts';
import { list, never, second, windowHeaders } from '../support/told.ts';

const killed = { pid: 1, born: 'once' };
/** Nobody knows of another machine's processes. */
const isRunning = ({ pid, host }: { readonly pid: number; readonly host: string }) =>
  pid !== killed.pid || host !== 'here';

describe('a process that is killed with a request in flight', () => {
  test.for([
    ['the first of all: the next one follows within three seconds', 'here', 0, 0, 3],
    ['the last of a minute: it may have been counted', 'here', 1, 60, 63],
    [
      'the first of all, elsewhere: within eleven minutes, whatever its timeout',
      'there',
      0,
      0,
      660,
    ],
  ] as const)('%s', async ([, host, before, from, to], { petstore, sandbox, clock }) => {
    for (let n = 0; n < before; n += 1) {
      sandbox.reactions.push(reply(200, [], windowHeaders(60, 1)));
      await petstore(list);
    }
    await killInFlight({ petstore, sandbox, clock }, host);

    const { exitCode } = await petstore([...list, '--max-wait', 'inf'], { context: { isRunning } });

    expect(exitCode).toBe(0);
    expect(sandbox.requests).toHaveLength(before + 2);
    expect(clock.now() - startTime).toBeGreaterThanOrEqual(from * second);
    expect(clock.now() - startTime).toBeLessThanOrEqual(to * second);
  });

  test('does not look in flight for longer than a request may take', async ({
    petstore,
    sandbox,
    clock,
  }) => {
    await killInFlight({ petstore, sandbox, clock }, 'there');
    await clock.sleep(660 * second, never);
    const release = clock.hold();

    const { stdout } = await petstore('limits --json');

    release();
    expect(JSON.parse(stdout).inFlight).toBe(0);
  });
});

/** Runs a process of a machine until its request is in flight, and no further. */
async function killInFlight(
  { petstore, sandbox, clock }: Pick<Fixtures, 'petstore' | 'sandbox' | 'clock'>,
  host: string,
): Promise<void> {
  const release = await new Promise<() => void>((resolve, reject) => {
    sandbox.reactions.push(() => {
      resolve(clock.hold());
      return silence;
    });
    petstore([...list, '--timeout', '1h'], { context: { owner: { ...killed, host } } }).then(
      () => reject(new Error('it ended before it was killed')),
      reject,
    );
  });
  release();
}
