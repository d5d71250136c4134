import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe } from 'vitest';
import { pathWithPetstore, test } from '../support/program.ts';
import { needsShell, readExamples } from '../support/tree.ts';

const examples = (await readExamples()).filter(
  (line) => needsShell(line) && !line.includes('powershell'),
);

// The others are in test/commands/examples.test.ts.
describe.concurrent('the examples of the help that need a shell work as they are:', () => {
  for (const line of examples) {
    const tags = line.includes('jq ') ? ['jq'] : [];
    test(line, { tags }, async ({ serve, folder, execute, expect }) => {
      const { env, key } = await serve({ isFilled: true });
      writeFileSync(join(folder, 'script.sh'), '#!/bin/sh\npetstore --version\n', { mode: 0o755 });
      writeFileSync(join(folder, 'pets.csv'), 'name\nparrot\n');
      writeFileSync(join(folder, 'pets.json'), '[{"name":"parrot"}]');
      writeFileSync(join(folder, 'pet.json'), '{"id":7,"name":"parrot"}');
      writeFileSync(join(folder, 'key-file'), key);
      mkdirSync(join(folder, '.config/petstore'), { recursive: true, mode: 0o700 });
      mkdirSync(join(folder, '.config/fish/completions'), { recursive: true });
      writeFileSync(join(folder, '.config/petstore/settings.json'), '{}');

      const typed = line.replace('https://HOST/v1', env.PETSTORE_BASE_URL);
      const { code, stderr } = await execute('bash', ['-o', 'pipefail', '-c', typed], {
        env: { ...env, PATH: pathWithPetstore(folder) },
      });

      expect(stderr).not.toContain('internal error');
      expect(code, stderr).toBe(0);
    });
  }
});
