import { renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe } from 'vitest';
import { createGate, test } from '../support/program.ts';

const names = Array.from({ length: 12 }, (_, n) => `pet-${n}`);

describe.concurrent('an import whose state is deleted while it runs', () => {
  test.for([
    ['stops without its ledger', 'state/ledger', 74],
    ['goes on without its turn', 'state/turns', 0],
    ['goes on without the limits', 'state/limits', 0],
    ['stops without the whole state folder', 'state', 74],
  ] as const)(
    '%s, and creates each name once, also when it is run again',
    async ([, deleted, exitCode], { serve, start, petstore, folder, expect }) => {
      writeFileSync(join(folder, 'rows.csv'), `name\n${names.join('\n')}\n`);
      const deletion = createGate();
      const react = async (_: unknown, count: number) => {
        if (count > 3) await deletion.opened;
        return undefined;
      };
      const service = await serve({ react });
      const env = { ...service.env, PETSTORE_STATE_DIR: join(folder, 'state') };
      const line = 'categories import rows.csv --yes --json --settle 100ms';

      const running = start(line, { env });
      await service.arrived(5);
      // First out of its sight: what it makes at this path meanwhile would keep the folder from being removed.
      renameSync(join(folder, deleted), join(folder, 'away'));
      rmSync(join(folder, 'away'), { recursive: true });
      deletion.open();
      const first = await running.ended;
      const second = await petstore(line, { env });

      expect([first.code, second.code], first.stderr + second.stderr).toEqual([exitCode, 0]);
      expect(service.state.categories.map(({ name }) => name).sort()).toEqual([...names].sort());
      expect(service.requests.filter(({ method }) => method === 'POST')).toHaveLength(names.length);
    },
  );
});
