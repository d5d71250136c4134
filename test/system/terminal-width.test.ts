import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe } from 'vitest';
import { expect, launcher, test } from '../support/program.ts';

const petstore = `'${process.execPath}' '${launcher}'`;

describe('A terminal (needs script)', { tags: ['script'] }, () => {
  test.for([
    { told: 0, width: 80 },
    { told: 1, width: 80 },
    { told: 19, width: 80 },
    { told: 60, width: 60 },
  ])('of $told columns shows a table in $width', async ({ told, width }, { execute }) => {
    const command = `stty cols ${told}; ${petstore} config list --no-color`;
    const long = { PETSTORE_BASE_URL: `https://pets.example/${'x'.repeat(100)}` };

    const { code, stdout } = await execute('script', ['-qec', command, '/dev/null'], { env: long });

    expect(code).toBe(0);
    expect(stdout).toMatch(/^│ max-wait +│ 2m +│ default +│\r$/m);
    for (const line of stdout.trimEnd().split('\r\n')) expect([...line]).toHaveLength(width);
  });

  test.for([0, 1, 9])(
    'of %i columns keeps no import from its end',
    async (told, { execute, folder }) => {
      const names = Array.from({ length: 30 }, (_, n) => `pet ${n}`);
      writeFileSync(join(folder, 'pets.csv'), ['name', ...names].join('\n'));
      const run = `${petstore} categories import pets.csv --yes --profile sandbox`;

      const { code, stdout } = await execute('script', [
        '-qec',
        `stty cols ${told}; ${run}`,
        '/dev/null',
      ]);

      expect(code).toBe(0);
      expect(stdout).toContain('created');
    },
  );
});
