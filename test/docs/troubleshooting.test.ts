import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { exitCodes as meanings } from '../../src/commands/topics.ts';
import { exitCodes } from '../../src/errors.ts';
import { quotedIn, readPage, rowsOf, sectionOf, sectionsOf } from '../support/pages.ts';

const page = readPage('troubleshooting.md');
const codes = new Map(
  rowsOf(sectionOf(readPage('scripting.md'), 'Exit codes')).map(([code, , kind]) => [code, kind]),
);

const sources = readdirSync('src', { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.ts'))
  .map((path) => `src/${path}`);
const source = [...sources, 'node_modules/commander/lib/command.js']
  .map((path) => readFileSync(path, 'utf8'))
  .join('\n');

describe('the troubleshooting page', () => {
  test('has a section for each kind of error, and one for questions', () => {
    const titles = sectionsOf(page, 2).map(({ title }) => title);

    expect(titles.sort()).toEqual([...Object.keys(exitCodes), 'Questions'].sort());
  });

  test.for(Object.entries(exitCodes))(
    'names the exit code of %s, and leads from it to its section',
    ([kind, exitCode]) => {
      expect(sectionOf(page, kind).trim()).toMatch(new RegExp(`^Exit ${exitCode}\\b`));
      expect(codes.get(String(exitCode))).toContain(`[${kind}](troubleshooting.md#${kind})`);
    },
  );

  test('is led to from all exit codes', () => {
    expect([...codes.keys()]).toEqual(meanings.map(([code]) => code));
  });

  test('quotes only messages that the program has', () => {
    const messages = sectionsOf(page, 2).flatMap(({ text }) =>
      rowsOf(text).flatMap(([message = '']) => quotedIn(message)),
    );
    const invented = messages
      .flatMap((message) => message.split('…'))
      .map((part) => part.trim())
      .filter((part) => /[a-z]{3}/.test(part) && !source.includes(part));

    expect(messages.length).toBeGreaterThan(30);
    expect(invented).toEqual([]);
  });
});
