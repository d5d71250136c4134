import { readFileSync } from 'node:fs';
import { expect, test } from '../support/petstore.ts';
import { listCommands } from '../support/tree.ts';

const { verbs, topics } = await listCommands();

const intro = `# Commands

The pages of \`petstore help\`, 80 columns wide (\`npm run docs\`).
How they are used: [scripting](scripting.md).`;

test('docs/commands.md has the help page of each command and topic', async ({ petstore }) => {
  const sections = [intro];
  for (const words of [...topics, ...verbs.map((verb) => verb.words)]) {
    const { stdout } = await petstore(['help', ...words.split(' ')]);
    const title = topics.includes(words) ? `petstore help ${words}` : `petstore ${words}`;
    sections.push(`## ${title}`, `\`\`\`text\n${stdout.trimEnd()}\n\`\`\``);
  }

  await expect(`${sections.join('\n\n')}\n`).toMatchFileSnapshot('../../docs/commands.md');
});

test('docs/scripting.md explains every exit code in the words of its help page', async ({
  petstore,
}) => {
  const { stdout } = await petstore(['help', 'exit-codes'], { columns: 100 });
  const page = readFileSync('docs/scripting.md', 'utf8');

  const explained = [...stdout.matchAll(/^ {2}(\d+) +((?:.|\n {4})+)/gm)];
  expect(explained).toHaveLength(14);
  for (const [, code, meaning = ''] of explained) {
    expect(page).toContain(`| ${code} | ${meaning.replace(/\s+/g, ' ')} |`);
  }
});

test('docs/setup.md names every setting with its flag, variable and name in the file', async ({
  petstore,
}) => {
  const page = readFileSync('docs/setup.md', 'utf8');
  const { stdout: environment } = await petstore(['help', 'environment']);
  const { stdout: help } = await petstore(['config', 'set', '--help']);
  const [, settings = ''] = help.split('\nSettings:\n');

  const variables = environment.match(/PETSTORE_\w+/g) ?? [];
  const names = [...settings.matchAll(/^ {2}([a-z]+(?:-[a-z]+)*) {2,}/gm)].map(([, name]) => name);
  expect(variables).toContain('PETSTORE_STATE_DIR');
  expect(names).toContain('shared-store');
  for (const name of [...variables, ...names]) expect(page).toContain(`\`${name}\``);
});
