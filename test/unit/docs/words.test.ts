import { readdirSync, readFileSync } from 'node:fs';
import ts from 'typescript';
import { describe, expect, test } from 'vitest';
import { pages, proseOf } from '../../support/pages.ts';
import { grownProgram } from '../../support/tree.ts';

/** The last column of the glossary in CONTRIBUTING.md. */
function forbiddenWords(): string[] {
  const glossary = readFileSync('CONTRIBUTING.md', 'utf8').split('## Words')[1]?.split('\n## ')[0];
  const rows = glossary?.split('\n').filter((line) => line.startsWith('|')) ?? [];
  return rows.flatMap((row) =>
    [
      ...(row
        .split('|')
        .at(-2)
        ?.matchAll(/`([^`]+)`/g) ?? []),
    ].map(([, word = '']) => word),
  );
}

const forbidden = forbiddenWords();
const pattern = new RegExp(`\\b(?:${forbidden.join('|')})\\b(?! longer)`, 'i');

/** Programs in another language, which are no text for people. */
const programs = ['src/commands/completion/scripts.ts', 'src/pacing/store/script.ts'];

/** Every text of a source file: its strings and templates of more than one word, in the order of the file. */
function textsOf(path: string): string[] {
  const file = ts.createSourceFile(path, readFileSync(path, 'utf8'), ts.ScriptTarget.Latest);
  const texts: string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isImportDeclaration(node)) {
      return;
    }
    if (ts.isStringLiteralLike(node)) {
      texts.push(node.text);
    } else if (ts.isTemplateExpression(node)) {
      texts.push(
        [node.head, ...node.templateSpans.map((span) => span.literal)]
          .map((part) => part.text)
          .join('…'),
      );
    }
    ts.forEachChild(node, visit);
  };
  visit(file);
  return texts.filter((text) => /[a-z…]\s+[a-z…]/i.test(text));
}

const sources = readdirSync('src', { recursive: true, encoding: 'utf8' })
  .map((path) => `src/${path.replaceAll('\\', '/')}`)
  .filter((path) => path.endsWith('.ts') && !programs.includes(path));

describe('no word that the glossary forbids', () => {
  test('is in a message', () => {
    const texts = sources.flatMap((path) => textsOf(path).map((text) => `${path}: ${text}`));

    expect(texts.length).toBeGreaterThan(500);
    expect(texts.filter((text) => pattern.test(text.replace(/^[^:]*: /, '')))).toEqual([]);
  });

  test('is on a help page', async () => {
    const pages: string[] = [];
    const visit = (command: Awaited<ReturnType<typeof grownProgram>>): void => {
      pages.push(...command.helpInformation().split('\n'));
      command.commands.forEach(visit);
    };
    visit(await grownProgram());

    expect(pages.length).toBeGreaterThan(100);
    expect(pages.filter((line) => pattern.test(line))).toEqual([]);
  });

  test('is in the man page', () => {
    const lines = readFileSync('man/petstore.1', 'utf8').split('\n');

    expect(lines.filter((line) => pattern.test(line))).toEqual([]);
  });

  test.for(pages)('is in %s', (page) => {
    const prose = proseOf(readFileSync(page, 'utf8'));

    expect(prose.length).toBeGreaterThan(0);
    expect(
      prose.filter((text) => pattern.test(text.replace(/\bthere (is|are) no\b/gi, ''))),
    ).toEqual([]);
  });
});
