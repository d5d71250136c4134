import { type ChildProcess, spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe } from 'vitest';
import { claim } from '../../src/disk/claim.ts';
import { createNodeContext } from '../../src/node/node-context.ts';
import { bundle } from '../support/bundle.ts';
import { nodes } from '../support/nodes.ts';
import { expect, test } from '../support/program.ts';
import { isNightly } from '../support/trials.ts';

/** Below those that systems give to whoever asks for any. */
const port = 20_000 + (process.pid % 10_000);

describe.runIf(isNightly).each(nodes)('on %s', (node) => {
  test('20 processes claim one thing 50 times each and some are killed: never two inside', async ({
    folder,
  }) => {
    const path = join(folder, 'state', 'claim');
    const program = await bundle('test/support/programs/claimer.ts', folder);
    const children = new Set<ChildProcess>();
    const ends: (number | null)[] = [];
    let kills = 0;
    const killer = setInterval(() => {
      // Whoever is inside now and then, and otherwise anybody, at any step.
      const holder = kills % 2 === 0 ? holderOf(path) : undefined;
      const [anybody] = [...children].sort(() => Math.random() - 0.5);
      const victim = [...children].find(({ pid }) => pid === holder) ?? anybody;
      if (kills < 60 && victim?.kill('SIGKILL')) kills += 1;
    }, 25);

    await Promise.all(Array.from({ length: 20 }, run));
    clearInterval(killer);

    expect(ends.filter((code) => code === null).length).toBeGreaterThan(20);
    expect(ends.filter((code) => code !== null)).toEqual(Array.from({ length: 20 }, () => 0));
    const last = claim(createNodeContext(new AbortController().signal), path);
    expect(last.mine).toBe(true);
    expect(readdirSync(join(folder, 'state'))).toEqual(['claim']);

    /** Starts another one for each that was killed. */
    async function run(): Promise<void> {
      for (let code: number | null = null; code === null; ends.push(code)) {
        const child = spawn(node, [program, path, String(port), '50'], { stdio: 'inherit' });
        children.add(child);
        code = await new Promise((resolve) => child.once('close', resolve));
        children.delete(child);
      }
    }
  });
});

function holderOf(path: string): number | undefined {
  try {
    const [mark = ''] = readdirSync(path);
    return JSON.parse(readFileSync(join(path, mark), 'utf8')).pid;
  } catch {
    return undefined;
  }
}
