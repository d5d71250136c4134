import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe } from 'vitest';
import { createGate, expect, type Fixtures, test } from '../support/program.ts';

const create = ['categories', 'create', '--max-wait', '20s'];

// The tests mostly wait for a limit, and share nothing.
describe.concurrent('a process that is stopped', () => {
  test('while its request is in flight holds nobody up, and then reads the response', async ({
    start,
    petstore,
    serve,
  }) => {
    const service = await openLimited(serve, 3, 'emu');
    const { env } = service;
    await petstore(['categories', 'list'], { env });
    // It is stopped for longer than it may wait for its response, which has come by then.
    const argv = [...create, 'emu', '--timeout', '1s', '--query', 'name', '-o', 'raw'];
    const stopped = start(argv, { env });
    await service.arrived(2);
    stopped.child.kill('SIGSTOP');
    service.release();

    const others = await Promise.all(
      ['yak', 'cow', 'sow'].map((name) => petstore([...create, name], { env })),
    );
    stopped.child.kill('SIGCONT');

    expect(await stopped.ended).toMatchObject({ code: 0, stdout: 'emu\n' });
    expect(others.map(({ code }) => code)).toEqual([0, 0, 0]);
    expect(service.names()).toEqual(['cow', 'emu', 'sow', 'yak']);
    expect(service.refusals()).toBe(0);
  });

  test('in an import keeps its names, holds up no other work, and goes on where it was', async ({
    start,
    petstore,
    serve,
    folder,
  }) => {
    const rows = join(folder, 'rows.csv');
    writeFileSync(rows, 'name\nant\nbee\nfly\nbug\n');
    const service = await openLimited(serve, 4, 'bee');
    const { env } = service;
    const argv = ['categories', 'import', rows, '--yes', '--query', 'items[].outcome', '--json'];
    const stopped = start(argv, { env });
    await service.arrived(4);
    stopped.child.kill('SIGSTOP');
    service.release();

    const [same, other] = await Promise.all([
      petstore([...create, 'bug', '--if-missing', '--max-wait', '0'], { env }),
      petstore([...create, 'yak'], { env }),
    ]);
    stopped.child.kill('SIGCONT');
    const { code, stdout, stderr } = await stopped.ended;

    expect([same.code, other.code], same.stderr + other.stderr).toEqual([74, 0]);
    expect(same.stderr).toContain(`process ${stopped.child.pid} `);
    expect(code, stderr).toBe(0);
    expect(JSON.parse(stdout)).toEqual(Array(4).fill('created'));
    expect(service.names()).toEqual(['ant', 'bee', 'bug', 'fly', 'yak']);
    expect(service.refusals()).toBe(0);
  });
});

/** Serves so many requests in two seconds; the category of that name is created once `release` was called. */
async function openLimited(serve: Fixtures['serve'], limit: number, held: string) {
  const gate = createGate();
  let refusals = 0;
  const service = await serve({
    plan: { minute: { limit, length: 2_000 }, day: { limit: 1_000, length: 86_400_000 } },
    react: async ({ body }) => {
      if (body.includes(held)) await gate.opened;
      return undefined;
    },
    spoil(headers) {
      if ('retry-after' in headers) refusals += 1;
      return headers;
    },
  });
  return {
    ...service,
    release: gate.open,
    names: () => service.state.categories.map(({ name }) => name).sort(),
    refusals: () => refusals,
  };
}
