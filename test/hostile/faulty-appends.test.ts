import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { afterEach, describe } from 'vitest';
import { parseEntry } from '../../src/import/records.ts';
import { type FaultyService, startFaultyService } from '../bench/import/faulty-service.ts';
import { environment } from '../bench/import/home.ts';
import { writeRows } from '../bench/import/rows.ts';
import { expect, launcher, test } from '../support/program.ts';

const disk = resolve('test/support/programs/faulty-disk.cjs');
/** What a run ends with whose disk was touched too seldom for the fault to happen. */
const untouched = 99;
const flawless = { random: () => 0, share: 0, pace: 0, before: [] };
const rows = [{ name: 'dog' }, { name: 'dog' }, { name: 'cat' }];
const wanted = { cat: 1, dog: 2 };

const services: FaultyService[] = [];
afterEach(() => {
  for (const service of services.splice(0)) service.close();
});

describe('an import whose disk fails', () => {
  test.for([
    { fault: 'EIO', ends: [0, 2, 74] },
    { fault: 'ENOSPC', ends: [74] },
    { fault: 'short', ends: [0] },
  ])(
    'at any step with $fault: nothing leaves that is not on the disk, and the next run ends it, each row once',
    { timeout: 180_000 },
    async ({ fault, ends }, { execute, folder }) => {
      const file = join(folder, 'rows.json');
      writeRows(file, rows, 'json');
      const args = [
        launcher,
        'categories',
        'import',
        file,
        '--yes',
        '--allow-duplicates',
        '--settle',
        '10ms',
      ];
      let failures = 0;
      let at = 0;
      for (
        let code: number | NodeJS.Signals | null = 0;
        code !== untouched;
        failures += code === 74 ? 1 : 0
      ) {
        at += 1;
        const home = join(folder, String(at));
        const [imports, synced] = [join(home, 'state', 'imports'), `${home}.synced`];
        const service = await start(imports, synced);
        const env = environment(home, service);
        const spoilt = {
          ...env,
          FAULT: fault,
          FAULT_FOLDER: imports,
          FAULT_AT: `${at}`,
          FAULT_SYNCED: synced,
        };

        const broken = await execute(process.execPath, ['--require', disk, ...args], {
          env: spoilt,
        });
        code = broken.code;
        const where = `at ${at}: ${broken.stderr}`;
        expect(service.unforeseen, where).toEqual([]);
        if (code !== untouched) expect(ends, where).toContain(code);
        if (code === 74) expect(broken.stderr).toMatch(/^petstore: .*\((EIO|ENOSPC)\)$/m);

        const again = await execute(process.execPath, args, { env });
        expect(again.code, `${where}${again.stderr}`).toBe(0);
        expect(count(service.state.categories.map(({ name }) => name)), where).toEqual(wanted);
        expect(readdirSync(imports).filter((name) => !name.endsWith('.journal'))).toEqual([]);
        rmSync(home, { recursive: true });
      }
      expect(at).toBeGreaterThan(fault === 'EIO' ? 15 : 3);
      expect(failures > 3).toBe(fault !== 'short');
    },
  );
});

describe('the limit log on a disk that fails', () => {
  test.for([
    { fault: 'EIO', folder: 'state' },
    { fault: 'short', folder: 'state' },
    { fault: 'ENOSPC', folder: 'state' },
    { fault: 'ENOSPC', folder: '/' },
  ])(
    'with $fault at any step below "$folder": the command works, asks once, and so does the next',
    { timeout: 180_000 },
    async ({ fault, folder: below }, { execute, folder }) => {
      const args = [launcher, 'categories', 'list', '--json', '--max-wait', '5s'];
      let at = 0;
      for (let code: number | NodeJS.Signals | null = 0; code !== untouched; ) {
        at += 1;
        const home = join(folder, String(at));
        mkdirSync(home);
        const service = await startFaultyService(flawless);
        services.push(service);
        const env = environment(home, service);
        const touched = below === '/' ? '/' : join(home, below);
        const spoilt = { ...env, FAULT: fault, FAULT_FOLDER: touched, FAULT_AT: `${at}` };

        const broken = await execute(process.execPath, ['--require', disk, ...args], {
          env: spoilt,
        });
        code = broken.code;
        const where = `at ${at}: ${broken.stderr}`;
        expect([0, untouched], where).toContain(code);
        expect(broken.stdout, where).toBe('[]\n');
        expect(service.arrivals, where).toHaveLength(1);
        // Only where there is no other place.
        const alone = below === '/' && code === 0;
        expect(
          broken.stderr.match(/the rate limit is not shared with other petstore processes/g)
            ?.length ?? 0,
          where,
        ).toBe(alone ? 1 : 0);

        const next = await execute(process.execPath, args, { env });
        expect(next, where).toMatchObject({ code: 0, stdout: '[]\n' });
        expect(next.stderr, where).not.toContain('notice');
        rmSync(home, { recursive: true });
      }
      expect(at).toBeGreaterThan(3);
    },
  );
});

/** A service that notes which creates came before they were on the disk. */
async function start(imports: string, synced: string) {
  const unforeseen: string[] = [];
  const service = await startFaultyService({
    ...flawless,
    onWrite() {
      const sent = service.arrivals.filter(({ method }) => method === 'POST');
      const name: string = JSON.parse(sent.at(-1)?.body ?? '').name;
      const times = sent.filter(({ body }) => JSON.parse(body).name === name).length;
      if (existsSync(synced) && times > intendedIn(imports, synced, name)) unforeseen.push(name);
    },
  });
  services.push(service);
  return { ...service, unforeseen };
}

/** How many rows of that name were to be sent, as far as the journal would survive a power cut. */
function intendedIn(imports: string, synced: string, name: string): number {
  const [journal = ''] = readdirSync(imports).filter((file) => file.endsWith('.journal'));
  const length = Number(readFileSync(synced, 'utf8'));
  const lines = readFileSync(join(imports, journal)).subarray(0, length).toString().split('\n');
  const intended = new Set<string | undefined>();
  for (const entry of lines.map(parseEntry)) {
    if (entry !== 'newer' && entry?.k === 'i') intended.add(`${entry.row}`);
  }
  return [...intended].filter((row) => rows[Number(row)]?.name === name).length;
}

function count(names: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const name of names) counts[name] = (counts[name] ?? 0) + 1;
  return counts;
}
