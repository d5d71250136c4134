import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe } from 'vitest';
import { expect, launcher, test } from '../support/program.ts';

const disk = resolve('test/support/programs/faulty-disk.cjs');
/** What a run ends with whose disk was touched too seldom for the fault to happen. */
const untouched = 99;
const whole = 'id,name\n1,dog\n2,cat\n3,rabbit\n';

describe.for([
  { what: 'categories export', old: undefined, force: [] },
  { what: 'categories export --force', old: 'mine', force: ['--force'] },
])('$what', ({ old, force }) => {
  test.for([
    { fault: 'EIO', ends: [0, 74], steps: 4 },
    { fault: 'ENOSPC', ends: [0, 74], steps: 2 },
    { fault: 'short', ends: [0], steps: 1 },
    { fault: 'kill', ends: ['SIGKILL'], steps: 4 },
  ])(
    '$fault at any step: the whole file or what was there, and nothing beside it after the next one',
    { timeout: 180_000 },
    async ({ fault, ends, steps }, { petstore, execute, folder }) => {
      const out = join(folder, 'out');
      const path = join(out, 'pets.csv');
      const args = [
        'categories',
        'export',
        path,
        '--columns',
        'id,name',
        '-p',
        'sandbox',
        ...force,
      ];
      let at = 0;
      for (let code: number | NodeJS.Signals | null = 0; code !== untouched; ) {
        at += 1;
        rmSync(out, { recursive: true, force: true });
        mkdirSync(out);
        if (old !== undefined) writeFileSync(path, old);
        const broken = await execute(process.execPath, ['--require', disk, launcher, ...args], {
          env: { FAULT: fault, FAULT_FOLDER: out, FAULT_AT: `${at}` },
        });
        code = broken.code;

        const [text, ...beside] = contentsOf(out);
        expect([old, whole], `at ${at}`).toContain(text);
        if (code === untouched) break;
        expect(ends, broken.stderr).toContain(code);
        if (code === 0) expect(text).toBe(whole);
        if (code !== 'SIGKILL') expect(beside).toEqual([]);
        if (code === 74) expect(broken.stderr).toContain(`cannot write ${path} (${fault})\n`);
        const next = await petstore([...args, '--force']);
        expect(next.code, next.stderr).toBe(0);
        expect(readdirSync(out)).toEqual(['pets.csv']);
      }
      expect(at).toBeGreaterThan(steps);
    },
  );
});

/** The file, if it is there, and then all that is beside it. */
function contentsOf(out: string): (string | undefined)[] {
  const names = readdirSync(out);
  const text = names.includes('pets.csv') ? readFileSync(join(out, 'pets.csv'), 'utf8') : undefined;
  return [text, ...names.filter((name) => name !== 'pets.csv')];
}
