import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createGate, expect, test } from '../support/program.ts';

const create = ['categories', 'create', '--max-wait', '20s'];

test('an import that is stopped keeps its turn, holds up no other work, and goes on where it was', async ({
  start,
  petstore,
  serve,
  folder,
}) => {
  const gate = createGate();
  let refusals = 0;
  const service = await serve({
    plan: { minute: { limit: 4, length: 2_000 }, day: { limit: 1_000, length: 86_400_000 } },
    react: async ({ body }) => {
      if (body.includes('bee')) await gate.opened;
      return undefined;
    },
    spoil(headers) {
      if ('retry-after' in headers) refusals += 1;
      return headers;
    },
  });
  const { env } = service;
  const rows = join(folder, 'rows.csv');
  writeFileSync(rows, 'name\nant\nbee\nfly\nbug\n');
  // It is stopped for longer than it may wait for its responses, which have come by then.
  const argv = ['categories', 'import', rows, '--yes', '--timeout', '1s', '--json'];
  const stopped = start([...argv, '--query', 'items[].outcome'], { env });
  await service.arrived(3);
  stopped.child.kill('SIGSTOP');
  gate.open();

  const [same, other] = await Promise.all([
    petstore([...create, 'bug', '--if-missing', '--max-wait', '0'], { env }),
    petstore([...create, 'yak'], { env }),
  ]);
  stopped.child.kill('SIGCONT');
  const { code, stdout, stderr } = await stopped.ended;

  expect([same.code, other.code], same.stderr + other.stderr).toEqual([75, 0]);
  expect(code, stderr).toBe(0);
  expect(stderr).not.toContain('unknown');
  expect(JSON.parse(stdout)).toEqual(Array(4).fill('created'));
  const names = service.state.categories.map(({ name }) => name).sort();
  expect(names).toEqual(['ant', 'bee', 'bug', 'fly', 'yak']);
  expect(refusals).toBe(0);
});
