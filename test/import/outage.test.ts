import { describe } from 'vitest';
import { apply, cutAfter, namesIn, patient, pets, test } from '../support/import-cases.ts';
import { expect, networkError, type Reaction, reply } from '../support/petstore.ts';

const minute = 60_000;
const refused = networkError('ECONNREFUSED');
const ever = Number.POSITIVE_INFINITY;

describe('an import whose service is away', () => {
  test.for<[how: string, firstCreate: number, awayMs: number, maxWait: string, Reaction, number]>([
    ['for 4 s', 5, 4_000, '2m', refused, 0],
    ['for a minute', 5, minute, '2m', refused, 0],
    ['for four minutes', 5, 4 * minute, 'inf', refused, 0],
    ['for four minutes, longer than it may wait', 5, 4 * minute, '2m', refused, 7],
    ['for six minutes, where it waits five at most', 5, 6 * minute, 'inf', refused, 7],
    ['at its start', 0, minute, '2m', refused, 0],
    ['at its start, for ever', 0, ever, '2m', refused, 5],
    ['behind a gateway (502)', 5, minute, '2m', reply(502, {}), 0],
    ['and its name is gone', 5, minute, '2m', networkError('ENOTFOUND'), 0],
    ['and no time may be waited', 5, 4_000, '0', refused, 7],
    ['with a certificate that expired', 5, minute, '2m', networkError('CERT_HAS_EXPIRED'), 7],
  ])('%s', async (row, { importText, sandbox, clock }) => {
    const [, firstCreate, awayMs, maxWait, reaction, code] = row;
    let awayUntil = firstCreate === 0 ? clock.uptime() + awayMs : undefined;
    let creates = 0;
    sandbox.react = ({ method }) => {
      if (method === 'POST') creates += 1;
      if (creates === firstCreate && firstCreate > 0) awayUntil ??= clock.uptime() + awayMs;
      return awayUntil !== undefined && clock.uptime() < awayUntil ? reaction : undefined;
    };

    const first = await importText(pets(12), [...apply, '--max-wait', maxWait]);
    awayUntil = 0;
    const next = await importText(pets(12), [...apply, '--max-wait', maxWait]);

    expect([first.exitCode, next.exitCode], 'exit codes of both runs').toEqual([code, 0]);
    expect(namesIn(sandbox)).toEqual(pets(12).split('\n').slice(1).sort());
  });

  test('says what it waits for, and looks it up', async ({ importText, sandbox, clock }) => {
    let awayUntil = 0;
    sandbox.react = ({ method, body = '' }) => {
      if (method === 'POST' && JSON.parse(body).name === 'pet 3') {
        awayUntil ||= clock.uptime() + 1.5 * minute;
        return cutAfter;
      }
      return clock.uptime() < awayUntil ? refused : undefined;
    };

    const { exitCode, stderr } = await importText(pets(8), ['--yes', '--max-wait', '2m']);

    expect([exitCode, namesIn(sandbox).length]).toEqual([0, 8]);
    expect(stderr).toMatch(/next try in \d+s \(.*refused the connection after 4 tries/);
    expect(stderr).toContain('checked: 1 created, 0 not created');
  });

  test('asks by a list whether it is back', async ({ importText, sandbox, clock }) => {
    let awayUntil = Number.NaN;
    const meanwhile: string[] = [];
    sandbox.react = ({ method }) => {
      if (method === 'POST' && Number.isNaN(awayUntil)) awayUntil = clock.uptime() + 2 * minute;
      if (!(clock.uptime() < awayUntil)) return undefined;
      meanwhile.push(method);
      return refused;
    };

    const { exitCode, json } = await importText(pets(80), [...apply, ...patient]);

    expect([exitCode, json.counts]).toEqual([0, { created: 80 }]);
    // Those that were in flight when it went away, each with its tries.
    expect(meanwhile.filter((method) => method === 'POST').length).toBeLessThanOrEqual(4 * 16);
    expect(meanwhile.filter((method) => method === 'GET').length).toBeLessThanOrEqual(4 * 10);
  });
});
