import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe } from 'vitest';
import { examplesOf } from '../../src/commands/examples.ts';
import { verbsOf, wordsOf } from '../../src/commands/help.ts';
import { plans } from '../../src/sandbox/quota.ts';
import { type RunningSandbox, serveSandbox, throwawayKey } from '../../src/sandbox/serve.ts';
import { answer } from '../../src/sandbox/service.ts';
import { sampleState } from '../../src/sandbox/state.ts';
import { pathWithPetstore, test } from '../support/program.ts';
import { grownProgram } from '../support/tree.ts';

let service: RunningSandbox;
beforeAll(async () => {
  const state = sampleState();
  service = await serveSandbox(
    {
      key: throwawayKey(),
      now: Date.now,
      answer: (request) => answer(state, plans.business, request),
    },
    0,
  );
});
afterAll(() => {
  service.server.close();
  service.server.closeAllConnections();
});

/** The files that examples read, and a petstore on the PATH. */
function prepare(folder: string): Record<string, string> {
  const script = '#!/bin/sh\npetstore categories list\n';
  writeFileSync(join(folder, 'script.sh'), script, { mode: 0o755 });
  writeFileSync(join(folder, 'pets.csv'), 'name\nparrot\n');
  writeFileSync(join(folder, 'pets.json'), '[{"name":"parrot"}]');
  writeFileSync(join(folder, 'pet.json'), '{"id":7,"name":"parrot"}');
  writeFileSync(join(folder, 'key-file'), service.key);
  mkdirSync(join(folder, '.config', 'fish', 'completions'), { recursive: true });
  mkdirSync(join(folder, '.config', 'petstore'), { mode: 0o700 });
  writeFileSync(join(folder, '.config', 'petstore', 'settings.json'), '{}');
  return {
    PATH: pathWithPetstore(folder),
    PETSTORE_BASE_URL: service.baseUrl.href,
    PETSTORE_API_KEY: service.key,
    SHELL: '/bin/bash',
  };
}

const verbs = verbsOf(await grownProgram());
const examples = verbs.flatMap((verb) =>
  examplesOf(verb).map((example) => ({ example, verb: wordsOf(verb) })),
);

/** Those that prompt, serve until Ctrl-C, need PowerShell, or remove what is outside the folder of the test. */
const notHere = [
  'petstore config edit',
  "VISUAL='code -w' petstore config edit",
  'petstore auth login',
  'petstore sandbox --port 4010 --plan pro --data pets.json',
  'petstore reset --yes',
  'petstore completion powershell >> $PROFILE',
  'petstore completion powershell | Out-String | Invoke-Expression',
];

describe.concurrent('the examples of the help work as they stand:', () => {
  for (const { example } of examples) {
    const tags = example.includes('jq ') ? ['jq'] : [];
    test.skipIf(notHere.includes(example))(
      example,
      { tags },
      async ({ folder, execute, expect }) => {
        const { code, stderr } = await execute('bash', ['-o', 'pipefail', '-c', example], {
          env: prepare(folder),
        });

        expect(stderr).not.toContain('petstore: internal');
        expect(code, stderr).toBe(0);
      },
    );
  }
});
