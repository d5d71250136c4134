import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe } from 'vitest';
import { pathWithPetstore, test } from '../support/program.ts';
import { openService, type Service } from '../support/service.ts';
import { needsShell, readExamples } from '../support/tree.ts';
import { exact, plans } from '../support/values.ts';

let service: Service;
beforeAll(async () => {
  service = await openService({ plan: plans.business });
  service.state.categories.push({ id: exact('1'), name: 'dog' });
});
afterAll(() => service.close());

const examples = (await readExamples()).filter(
  (line) => needsShell(line) && !line.includes('powershell'),
);

// The others are in test/commands/examples.test.ts.
describe.concurrent('the examples of the help that need a shell work as they are:', () => {
  for (const line of examples) {
    const tags = line.includes('jq ') ? ['jq'] : [];
    test(line, { tags }, async ({ folder, execute, expect }) => {
      const { url, key } = service;
      writeFileSync(join(folder, 'script.sh'), '#!/bin/sh\npetstore --version\n', { mode: 0o755 });
      writeFileSync(join(folder, 'pets.csv'), 'name\nparrot\n');
      writeFileSync(join(folder, 'pets.json'), '[{"name":"parrot"}]');
      writeFileSync(join(folder, 'pet.json'), '{"id":7,"name":"parrot"}');
      writeFileSync(join(folder, 'key-file'), key);
      mkdirSync(join(folder, '.config/petstore'), { recursive: true, mode: 0o700 });
      mkdirSync(join(folder, '.config/fish/completions'), { recursive: true });
      writeFileSync(join(folder, '.config/petstore/settings.json'), '{}');

      const { code, stderr } = await execute('bash', ['-o', 'pipefail', '-c', line], {
        env: { PATH: pathWithPetstore(folder), PETSTORE_BASE_URL: url, PETSTORE_API_KEY: key },
      });

      expect(stderr).not.toContain('petstore: internal');
      expect(code, stderr).toBe(0);
    });
  }
});
