import { mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe } from 'vitest';
import { startTime } from '../support/clock.ts';
import { expect, test, testKey } from '../support/petstore.ts';
import { isPosix } from '../support/posix.ts';

const list = ['categories', 'list', '--max-wait', 'inf'];
const year = 366 * 86_400_000;
const ledgerLine = (ledger: object) => `\n${JSON.stringify({ k: 'ledger', ledger })}\n`;
const sumLine = (upTo: unknown, ledger: object) =>
  `\n${'x'.repeat(4_096)}\n${JSON.stringify({ k: 'sum', upTo, ledger })}\n`;
const sound = { inFlight: {}, refusals: 0 };
const block = { reason: '429', since: startTime, until: startTime + year };

describe('a limit log', () => {
  const damages: { what: string; whileOpen?: boolean; damage: (log: string) => void }[] = [
    ...Object.entries({
      'an empty file': '',
      'NUL bytes': '\0'.repeat(4_096),
      'a line without an end': '\n{"k":"ledger","led',
      'text of others': 'limits:\n  minute: 60\n',
      'lists in lists': `\n${'['.repeat(100_000)}\n`,
      'a ledger of nothing': ledgerLine({}),
      'a ledger with a request that is null': ledgerLine({ ...sound, inFlight: { a: null } }),
      'a ledger with a request that is a number': ledgerLine({
        ...sound,
        inFlight: { a: 5 },
        probe: 'a',
      }),
      'a ledger with a request without an end': ledgerLine({
        ...sound,
        inFlight: { a: { at: startTime, block: 0 } },
        probe: 'a',
      }),
      'a ledger whose windows are texts': ledgerLine({ ...sound, minute: 'none', day: 'none' }),
      'a ledger with half a window': ledgerLine({
        ...sound,
        day: { reset: startTime + 80_000_000 },
      }),
      'a ledger of another version': ledgerLine({ ...sound, refusals: [], block }),
      'a ledger with a wait that is a text': ledgerLine({
        ...sound,
        block: { ...block, until: '9' },
      }),
      'a ledger whose clock is null': ledgerLine({ ...sound, latest: null, block }),
      'a sum of nothing': sumLine(4_000, {}),
      'a sum of what comes after it': sumLine(1e9, { ...sound, latest: startTime, block }),
      'a sum up to a text': sumLine('4000', { ...sound, latest: startTime, block }),
      'a sum with a request that is null': sumLine(4_000, { ...sound, inFlight: { a: null } }),
      'a sum without an end': sumLine(4_000, sound).slice(0, -9),
      'a time beyond all dates': ledgerLine({ ...sound, block: { ...block, until: 1e300 } }),
      'a wait of a minute that was told in ten years': ledgerLine({
        ...sound,
        latest: startTime + 10 * year,
        block: { ...block, since: startTime + 10 * year, until: startTime + 10 * year + 59_000 },
      }),
      'a request that left in ten years': `\n${JSON.stringify({
        k: 'ask',
        id: 'a',
        at: startTime + 10 * year,
        lease: startTime + 10 * year + 35_000,
      })}\n`,
    }).map(([what, text]) => ({ what, damage: (log: string) => writeFileSync(log, text) })),
    {
      what: 'a folder',
      whileOpen: true,
      damage(log) {
        rmSync(log);
        mkdirSync(log);
      },
    },
    {
      what: 'a device',
      whileOpen: true,
      damage(log) {
        rmSync(log);
        symlinkSync('/dev/null', log);
      },
    },
    {
      what: 'a link to nothing',
      whileOpen: true,
      damage(log) {
        rmSync(log);
        symlinkSync('/nowhere/at/all', log);
      },
    },
    { what: 'a number beyond counting', damage: (log) => writeFileSync(beyond(log), '') },
    { what: 'an empty salt', damage: (log) => writeFileSync(join(log, '..', 'salt'), '') },
    {
      what: 'a folder for a salt',
      damage(log) {
        rmSync(join(log, '..', 'salt'));
        mkdirSync(join(log, '..', 'salt'));
      },
    },
  ];

  // Windows keeps the name of a file that is open.
  test.for(damages.filter(({ whileOpen }) => !whileOpen || isPosix))(
    'that is $what keeps no request longer than a minute, and nothing fails',
    async ({ damage }, { petstore, sandbox, folder, clock }) => {
      const env = { PETSTORE_API_KEY: testKey };
      await petstore(list, { env });
      const limits = join(folder, 'state', 'limits');
      const [name = ''] = readdirSync(limits).filter((file) => file.endsWith('.log'));
      damage(join(limits, name));
      const before = clock.now();

      for (const argv of [list, ['limits'], list]) {
        const { exitCode, stderr } = await petstore(argv, { env });
        expect(exitCode, stderr).toBe(0);
      }

      expect(clock.now() - before).toBeLessThanOrEqual(63_000);
      expect(sandbox.requests).toHaveLength(3);
    },
  );
});

function beyond(log: string): string {
  return log.replace(/\.1\.log$/, `.${'9'.repeat(20)}.log`);
}
