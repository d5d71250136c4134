import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createGate, deadlinesByFile, expect, test } from '../support/program.ts';

test('an import that is stopped keeps its turn, holds up no other work, and goes on where it was', async ({
  start,
  petstore,
  serve,
  folder,
}) => {
  const gate = createGate();
  const { env, ...service } = await serve({
    plan: { minute: { limit: 4, length: 2_000 }, day: { limit: 1_000, length: 86_400_000 } },
    react: async ({ body }) => {
      if (body.includes('bee')) await gate.opened;
      return undefined;
    },
  });
  writeFileSync(join(folder, 'rows.csv'), 'name\nant\nbee\nfly\nbug\n');
  const line = 'categories import rows.csv --yes --timeout 1234ms --json --query items[].outcome';
  const stopped = start(line, { env: { ...env, ...deadlinesByFile } });
  await service.arrived(3);
  stopped.child.kill('SIGSTOP');
  // When it goes on, it has waited for its responses for too long, but they have come.
  writeFileSync(join(folder, 'passed'), '');
  gate.open();

  const [same, other] = await Promise.all([
    petstore('categories create bug --if-missing --max-wait 0', { env }),
    petstore('categories create yak --max-wait 20s', { env }),
  ]);
  stopped.child.kill('SIGCONT');
  const { code, stdout, stderr } = await stopped.ended;

  expect([same.code, other.code], same.stderr + other.stderr).toEqual([75, 0]);
  expect(code, stderr).toBe(0);
  expect(JSON.parse(stdout)).toEqual(Array(4).fill('created'));
  expect(existsSync(join(folder, 'passed'))).toBe(false);
  const names = service.state.categories.map(({ name }) => name).sort();
  expect(names).toEqual(['ant', 'bee', 'bug', 'fly', 'yak']);
  expect(service.requests.filter(({ reply }) => reply?.status === 429)).toEqual([]);
});
