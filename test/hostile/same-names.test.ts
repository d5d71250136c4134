import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { describe } from 'vitest';
import { test as base, expect } from '../support/program.ts';
import type { Service } from '../support/service.ts';
import { plans } from '../support/values.ts';

/** The responses of the service's lists take that long, in ms, and are old when they arrive. */
const listTakes = 500;

/** A service with the limit of Business, so that nothing but the hold makes anybody wait. It creates ghosts without a response. */
const test = base.extend<{ service: Service }>({
  service: async ({ serve }, use) => {
    const service: Service = await serve({
      plan: plans.business,
      async react({ method, body }) {
        if (body.includes('ghost')) return 'commit, then silence';
        if (method !== 'GET') return 'respond';
        const list = service.state.categories.map(({ id, name }) => ({
          id: Number(id.text),
          name,
        }));
        await setTimeout(listTakes);
        return { status: 200, body: JSON.stringify(list) };
      },
    });
    await use(service);
  },
});

function namesOf({ state }: Service): string[] {
  return state.categories.map(({ name }) => name).sort();
}

const times = <Result>(count: number, make: () => Result) => Array.from({ length: count }, make);
const create = ['categories', 'create', 'ferret', '--if-missing', '--json'];

describe('real processes that create the same names at the same time', () => {
  test('ten creates with --if-missing create one category', async ({ petstore, service }) => {
    await petstore(['categories', 'list'], { env: service.env });

    const results = await Promise.all(times(10, () => petstore(create, { env: service.env })));

    expect(results.map(({ code }) => code)).toEqual(times(10, () => 0));
    expect(namesOf(service)).toEqual(['ferret']);
  });

  test('ten creates with --if-missing create one category in the embedded sandbox', async ({
    petstore,
  }) => {
    const sandbox = ['--profile', 'sandbox'];
    const results = await Promise.all(times(10, () => petstore([...create, ...sandbox])));
    const { stdout } = await petstore(['categories', 'list', '--json', ...sandbox]);

    expect(results.map(({ code }) => code)).toEqual(times(10, () => 0));
    expect(JSON.parse(stdout).filter(({ name }: { name: string }) => name === 'ferret')).toEqual([
      expect.anything(),
    ]);
  });

  test('two imports of different files create each name once', async ({
    petstore,
    service,
    folder,
  }) => {
    await petstore(['categories', 'list'], { env: service.env });
    const files = ['dog\ncat\nemu', 'emu\nfox\ncat\ndog'].map((rows, n) => {
      const path = join(folder, `${n}.csv`);
      writeFileSync(path, `name\n${rows}\n`);
      return path;
    });

    const results = await Promise.all(
      files.map((file) =>
        petstore(['categories', 'import', file, '--yes', '--json'], { env: service.env }),
      ),
    );

    expect(results.map(({ code }) => code)).toEqual([0, 0]);
    expect(namesOf(service)).toEqual(['cat', 'dog', 'emu', 'fox']);
  });

  test('one whose creator was killed is found, and not created again', async ({
    start,
    petstore,
    service,
  }) => {
    const ghost = ['categories', 'create', 'ghost', '--if-missing'];
    const victim = start(ghost, { env: service.env });
    await service.arrived(2);
    victim.child.kill('SIGKILL');
    await victim.ended;

    const next = await petstore([...ghost, '--max-wait', '5s'], { env: service.env });

    expect(next.code).toBe(0);
    expect(namesOf(service)).toEqual(['ghost']);
  });
});
