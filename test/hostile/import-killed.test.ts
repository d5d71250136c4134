import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { describe } from 'vitest';
import { expect, test } from '../support/program.ts';
import { below, createRandom, pick, type Random, seed, shuffle } from '../support/random.ts';
import type { Action } from '../support/service.ts';
import { exact } from '../support/values.ts';

const [rows, kills, faultyShare] = [300, 10, 0.08];
const unlimited = { limit: 1e8, length: 60_000 };
const plan = { minute: unlimited, day: { ...unlimited, length: 86_400_000 } };
const old = Array.from({ length: 20 }, (_, n) => `old ${n}`);
const wanted = Array.from({ length: rows }, (_, n) => `new ${n}, größer "als"`);

const unavailable: Action = { status: 503, body: '' };
const faults: readonly [Action, ...Action[]] = ['reset', unavailable, 'commit, then reset'];
/** The list could not be read, rows are unknown or left, or another process was at it. */
const mayEndWith = [0, 5, 6, 7, 74, 75, 'SIGKILL'];

/** In memory, hostile/import-kills dies at any step, with all that a network does. These are real processes. */
describe.concurrent(`an import that is killed again and again (seed ${seed})`, () => {
  test.for([
    ['alone', 1],
    ['three at once', 3],
  ] as const)(
    '%s: nothing lost, nothing created twice',
    { timeout: 300_000 },
    async (trial, { start, serve, folder }) => {
      const [, atOnce] = trial;
      const random = createRandom(seed);
      const service = await serve({
        plan,
        react: async () => {
          await pause(3 * random());
          return random() < faultyShare ? pick(faults, random) : 'respond';
        },
      });
      for (const [n, name] of old.entries()) {
        service.state.categories.push({ id: exact(String(n - 50)), name });
      }
      const file = join(folder, 'rows.csv');
      const names = shuffle([...wanted, ...wanted.slice(0, 20), ...old], random);
      const lines = names.map((name) => `"${name.replaceAll('"', '""')}"`);
      writeFileSync(file, `name\n${lines.join('\n')}\n`);
      const argv = ['categories', 'import', file, '--yes', '--quiet', '--settle', '500ms'];
      let killed = 0;

      let isDone = false;
      for (let rounds = 2 * kills + 50; !isDone && rounds > 0; rounds -= 1) {
        const ends = await Promise.all(Array.from({ length: atOnce }, live));
        for (const { code, stderr } of ends) expect(mayEndWith, stderr).toContain(code);
        isDone = ends.some(({ code }) => code === 0);
      }

      expect(killed).toBeGreaterThan(1);
      const created = service.state.categories.map(({ name }) => name);
      expect(created.toSorted()).toEqual([...old, ...wanted].sort());

      async function live() {
        const process = start([...argv, '--timeout', '2s', '--max-wait', 'inf'], {
          env: service.env,
        });
        if (killed < kills) {
          const [requests, ms] = drawDoom(random, rows / kills);
          void service
            .arrived(service.requests.length + requests)
            .then(() => pause(ms))
            .then(() => process.child.kill('SIGKILL'));
        }
        const ended = await process.ended;
        if (ended.code === 'SIGKILL') killed += 1;
        return ended;
      }
    },
  );
});

/** Some die before they have begun, some while they look up what their predecessors left, most while they send. */
function drawDoom(random: Random, requests: number): [requests: number, ms: number] {
  const kind = random();
  if (kind < 0.3) return [0, random() * (kind < 0.15 ? 20 : 1_500)];
  return [1 + below(2 * requests, random), random() * 20];
}
