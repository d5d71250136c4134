import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, type TestContext } from 'vitest';
import { expect, test } from '../support/program.ts';
import { openService, type Service } from '../support/service.ts';

const dayMs = 86_400_000;

// The tests mostly wait for a limit, and share nothing.
describe.concurrent('a process that is stopped', () => {
  test('while its request is in flight holds nobody up, and then reads the response', async ({
    start,
    petstore,
    onTestFinished,
  }) => {
    const responses = createGate();
    const service = await serve({ onTestFinished }, 3, 2_000, 'emu', responses.opened);
    const { env } = service;
    await petstore(['categories', 'list'], { env });
    const stopped = start(['categories', 'create', 'emu', '--query', 'name', '-o', 'raw'], { env });
    await service.arrived(2);
    stopped.child.kill('SIGSTOP');
    responses.open();

    const others = await Promise.all(
      ['yak', 'cow', 'sow'].map((name) => petstore(['categories', 'create', name], { env })),
    );
    stopped.child.kill('SIGCONT');

    expect(await stopped.ended).toMatchObject({ code: 0, stdout: 'emu\n' });
    expect(others.map(({ code }) => code)).toEqual([0, 0, 0]);
    expect(namesIn(service)).toEqual(['cow', 'emu', 'sow', 'yak']);
    expect(service.refusals()).toBe(0);
  });

  test('in an import keeps its names, holds up no other work, and goes on where it was', async ({
    start,
    petstore,
    folder,
    onTestFinished,
  }) => {
    const rows = join(folder, 'rows.csv');
    writeFileSync(rows, 'name\nant\nbee\nfly\nbug\n');
    const responses = createGate();
    const service = await serve({ onTestFinished }, 4, 2_000, 'bee', responses.opened);
    const { env } = service;
    const argv = ['categories', 'import', rows, '--yes'];
    const stopped = start([...argv, '--query', 'items[].outcome', '--json'], { env });
    await service.arrived(4);
    stopped.child.kill('SIGSTOP');
    responses.open();

    const sameName = ['categories', 'create', 'bug', '--if-missing', '--max-wait', '0'];
    const [refused, other] = await Promise.all([
      petstore(sameName, { env }),
      petstore(['categories', 'create', 'yak'], { env }),
    ]);
    stopped.child.kill('SIGCONT');
    const { code, stdout } = await stopped.ended;

    expect([refused.code, other.code]).toEqual([74, 0]);
    expect(refused.stderr).toContain(`process ${stopped.child.pid} `);
    expect(code, stopped.stderr()).toBe(0);
    expect(JSON.parse(stdout)).toEqual(Array(4).fill('created'));
    expect(namesIn(service)).toEqual(['ant', 'bee', 'bug', 'fly', 'yak']);
    expect(service.refusals()).toBe(0);
  });
});

function createGate() {
  let open = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open };
}

/** Serves with a limit of so many requests in each `lengthMs`; responses to requests for `name` are held until `opened`. */
async function serve(
  { onTestFinished }: Pick<TestContext, 'onTestFinished'>,
  limit: number,
  lengthMs: number,
  name?: string,
  opened?: Promise<void>,
) {
  let refusals = 0;
  const service = await openService({
    plan: { minute: { limit, length: lengthMs }, day: { limit: 1_000, length: dayMs } },
    react: async ({ body }) => {
      if (name && body.includes(name)) await opened;
      return undefined;
    },
    spoil(headers) {
      if ('retry-after' in headers) refusals += 1;
      return headers;
    },
  });
  onTestFinished(service.close);
  const env = { PETSTORE_BASE_URL: service.url, PETSTORE_API_KEY: service.key };
  return { ...service, env, refusals: () => refusals };
}

function namesIn({ state }: Pick<Service, 'state'>): string[] {
  return state.categories.map(({ name }) => name).sort();
}
