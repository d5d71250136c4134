import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe } from 'vitest';
import { startTime } from '../../support/clock.ts';
import { expect, reply, test } from '../../support/petstore.ts';
import { plans } from '../../support/values.ts';

const asJson = async (result: Promise<{ stdout: string }>) => JSON.parse((await result).stdout);

describe('limits --for', () => {
  test('says when that many requests would be done, and sends none', async ({
    petstore,
    sandbox,
  }) => {
    await petstore(['config', 'set', 'plan', 'free']);
    await petstore(['categories', 'list']);

    const { exitCode, stdout, stderr } = await petstore(['limits', '--for', '2437']);

    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    expect(stdout).toBe(
      '2,437 requests: about 16m today and 2 more days on Free, done by 2026-11-22T15:12Z\non Pro: about 8m\n',
    );
    expect(sandbox.requests).toHaveLength(1);
  });

  test('is an object in JSON, with what it counts on', async ({ petstore }) => {
    await petstore(['config', 'set', 'plan', 'free']);
    await petstore(['categories', 'list']);

    const result = await asJson(petstore(['limits', '--for', '2437', '--json']));

    expect(result).toEqual({
      requests: 2437,
      plan: 'Free',
      todayMs: 16 * 60_000,
      moreDays: 2,
      doneAt: '2026-11-22T15:11:06Z',
      nextPlan: { plan: 'Pro', todayMs: 8 * 60_000, moreDays: 0 },
      windows: {
        minute: { limit: 60, left: 59, others: 0 },
        day: { limit: 1000, left: 999, others: null },
      },
      wait: null,
    });
  });

  test('is one line of JSON with -o raw, as every object', async ({ petstore }) => {
    await petstore(['config', 'set', 'plan', 'free']);

    const { stdout } = await petstore(['limits', '--for', '2437', '-o', 'raw']);

    expect(JSON.parse(stdout)).toMatchObject({ requests: 2437, nextPlan: { plan: 'Pro' } });
    expect(stdout.trimEnd()).not.toContain('\n');
  });

  test.for([
    { plan: 'free', rows: 30, others: 0 },
    { plan: 'free', rows: 2_437, others: 12 },
    { plan: 'pro', rows: 2_437, others: 0 },
    { plan: '30/min,100/day', rows: 250, others: 7 },
    { plan: undefined, rows: 250, others: 0 },
  ])(
    'gives the figures of an import that makes as many requests: $rows rows on $plan, $others by others',
    async ({ plan, rows, others }, { petstore, sandbox, folder }) => {
      if (plan) await petstore(['config', 'set', 'plan', plan]);
      await petstore(['categories', 'list']);
      const { minute } = sandbox.quota;
      sandbox.quota = { ...sandbox.quota, minute: { ...minute, used: minute.used + others } };
      const path = join(folder, 'pets.csv');
      writeFileSync(path, ['name', ...Array.from({ length: rows }, (_, n) => `p${n}`)].join('\n'));
      const { requests, forecast } = await asJson(
        petstore(['categories', 'import', path, '--dry-run', '--json']),
      );

      const result = await asJson(petstore(['limits', '--for', `${requests}`, '--json']));

      expect(result).toMatchObject({ requests, ...forecast });
      expect(result.windows.minute.others).toBe(others);
    },
  );

  test('takes what others were seen to use from the minutes to come, and says so', async ({
    petstore,
    sandbox,
  }) => {
    await petstore(['config', 'set', 'plan', 'free']);
    await petstore(['categories', 'list']);
    sandbox.quota = { ...sandbox.quota, minute: { opened: startTime, used: 13 } };
    await petstore(['categories', 'list']);

    const { stdout } = await petstore(['limits', '--for', '500']);

    expect(stdout).toBe(
      '500 requests: about 10m on Free, done by 2026-11-20T15:15Z; others use about 12 per minute\n',
    );
  });

  test('counts what the next plan makes of it with the use of others', async ({
    petstore,
    sandbox,
  }) => {
    await petstore(['config', 'set', 'plan', 'free']);
    await petstore(['categories', 'list']);
    sandbox.quota = { ...sandbox.quota, minute: { opened: startTime, used: 51 } };
    await petstore(['categories', 'list']);

    const { nextPlan } = await asJson(petstore(['limits', '--for', '2437', '--json']));

    expect(nextPlan).toEqual({ plan: 'Pro', todayMs: 9 * 60_000, moreDays: 0 });
  });

  test.for([
    { plan: 'free', requests: 900, next: '' },
    { plan: 'free', requests: 20_000, next: 'on Pro: about 33m today and 1 more day\n' },
    { plan: 'pro', requests: 20_000, next: 'on Business: about 19m\n' },
    { plan: 'business', requests: 200_000, next: '' },
    { plan: '60/min,1000/day', requests: 2_000, next: '' },
  ])(
    'says of $requests requests on $plan: "$next"',
    async ({ plan, requests, next }, { petstore }) => {
      await petstore(['config', 'set', 'plan', plan]);

      const { stdout } = await petstore(['limits', '--for', `${requests}`]);

      expect(stdout.replace(/^.*\n/, '')).toBe(next);
    },
  );

  test('says how to get the limit where neither it nor a plan is known', async ({
    petstore,
    sandbox,
  }) => {
    const text = await petstore(['limits', '--for', '50', '-p', 'production']);
    const json = await petstore(['limits', '--for', '50', '--json']);

    expect(text).toMatchObject({
      exitCode: 0,
      stdout: '50 requests; the rate limit is unknown\n',
      stderr:
        'petstore: to get the limit: petstore limits --refresh --profile production (one request), or petstore config set plan free --profile production\n',
    });
    expect(JSON.parse(json.stdout)).toEqual({
      requests: 50,
      plan: null,
      todayMs: null,
      moreDays: null,
      doneAt: null,
      nextPlan: null,
      windows: { minute: null, day: null },
      wait: null,
    });
    expect(sandbox.requests).toHaveLength(0);
  });

  test('says that the daily limit is unknown where that may matter', async ({ petstore }) => {
    const few = await petstore(['limits', '--for', '900', '--refresh']);
    const many = await petstore(['limits', '--for', '901']);

    expect(few.stdout).toBe(
      '900 requests: about 15m at 60 per minute, done by 2026-11-20T15:20Z\n',
    );
    expect(many.stdout).toBe(
      '901 requests: about 15m at 60 per minute; the daily limit is unknown (petstore config set plan free)\n',
    );
  });

  test('names the profile in the command that sets its plan', async ({ petstore }) => {
    const argv = ['limits', '--for', '901', '--refresh', '-p', 'staging'];

    const { stdout } = await petstore(argv);

    expect(stdout).toContain('(petstore config set plan free --profile staging)\n');
  });

  test('counts a wait in force, and shows it', async ({ petstore, sandbox }) => {
    await petstore(['config', 'set', 'plan', 'free']);
    sandbox.reactions.push(reply(429, '', { 'retry-after': '900' }));
    await petstore(['categories', 'list']);

    const text = await petstore(['limits', '--for', '61']);
    const json = await asJson(petstore(['limits', '--for', '61', '--json']));

    expect(text.stdout).toBe('61 requests: about 16m on Free, done by 2026-11-20T15:21Z\n');
    expect(text.stderr).toContain('rate limit exceeded (429); next request in 15m 2s');
    expect(json.wait).toMatchObject({ reason: '429', until: '2026-11-20T15:19:02Z' });
  });

  test('says where nothing is left today', async ({ petstore, sandbox }) => {
    await petstore(['config', 'set', 'plan', 'free']);
    const opened = startTime - 3_600_000;
    sandbox.quota = { ...sandbox.quota, day: { opened, used: 999 } };
    await petstore(['categories', 'list']);

    const { stdout } = await petstore(['limits', '--for', '20']);

    expect(stdout).toMatch(
      /^20 requests: nothing left today, 1 more day on Free, done by 2026-11-21T14:05Z\non Pro: less than a minute$/m,
    );
  });

  test('takes a million million requests, though no date names their end', async ({ petstore }) => {
    await petstore(['config', 'set', 'plan', '1/min,1/day']);

    const { stdout } = await petstore(['limits', '--for', '1000000000000']);

    expect(stdout).toBe(
      '1,000,000,000,000 requests: less than a minute today and 999,999,999,999 more days on 1/min,1/day\n',
    );
  });

  test.for(['0', '-1', '1.5', '1e3', '2,437', '1000000000001', '99999999999999', '', 'many'])(
    'takes no "%s"',
    async (text, { petstore, sandbox }) => {
      const { exitCode, stdout, stderr } = await petstore(['limits', `--for=${text}`, '--refresh']);

      expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
      expect(stderr).toContain('petstore: invalid number of requests for --for: ');
      expect(stderr).toContain('Must be a whole number from 1 to 1000000000000.');
      expect(sandbox.requests).toHaveLength(0);
    },
  );

  test('has columns, and refuses an unknown one before it refreshes', async ({
    petstore,
    sandbox,
  }) => {
    const argv = ['limits', '--for', '61', '--refresh', '-o', 'csv'];

    const wrong = await petstore([...argv, '--columns', 'window']);
    const { stdout } = await petstore([...argv, '--columns', 'requests,todayMs,wait']);

    expect(wrong.exitCode).toBe(2);
    expect(stdout).toBe('requests,todayMs,wait\n61,60000,null\n');
    expect(sandbox.requests).toHaveLength(1);
  });

  test('forecasts by the plan that a service says, where none is set', async ({
    petstore,
    sandbox,
  }) => {
    sandbox.plan = plans.pro;

    const { stdout } = await petstore(['limits', '--for', '600', '--refresh']);

    expect(stdout).toBe('600 requests: about 2m at 300 per minute, done by 2026-11-20T15:07Z\n');
  });
});
