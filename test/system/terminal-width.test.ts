import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe } from 'vitest';
import { expect, launcher, test } from '../support/program.ts';

const petstore = `'${process.execPath}' '${launcher}'`;

describe('a terminal', { tags: ['script'] }, () => {
  test.for([
    [0, 80],
    [19, 80],
    [60, 60],
  ] as const)(
    'that claims %i columns shows a table in %i',
    async ([claimed, width], { execute }) => {
      const command = `stty cols ${claimed}; ${petstore} config list --no-color`;
      const env = { PETSTORE_BASE_URL: `https://pets.example/${'x'.repeat(100)}` };

      const { code, stdout } = await execute('script', ['-qec', command, '/dev/null'], { env });

      expect(code).toBe(0);
      expect(stdout).toMatch(/^│ max-wait +│ 2m +│ default +│\r$/m);
      for (const line of stdout.trimEnd().split('\r\n')) expect([...line]).toHaveLength(width);
    },
  );

  test.for([0, 1])(
    'that claims %i columns shows the end of an import',
    async (claimed, { execute, folder }) => {
      const names = Array.from({ length: 30 }, (_, n) => `pet ${n}`);
      writeFileSync(join(folder, 'pets.csv'), ['name', ...names].join('\n'));
      const run = `${petstore} categories import pets.csv --yes --profile sandbox`;
      const command = `stty cols ${claimed}; ${run}`;

      const { code, stdout } = await execute('script', ['-qec', command, '/dev/null']);

      expect(code).toBe(0);
      expect(stdout).toContain('created');
    },
  );
});
