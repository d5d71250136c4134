import { readdirSync, readFileSync } from 'node:fs';

/** The paths of all pages that people read. */
export const pages: readonly string[] = [
  ...readdirSync('.').filter((name) => name.endsWith('.md')),
  ...filesOf('docs').filter((path) => path.endsWith('.md')),
];

/** The paths of all files and folders below a folder, with slashes on each system. */
export function filesOf(folder: string): string[] {
  const paths = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  return paths.map((path) => `${folder}/${path.replaceAll('\\', '/')}`);
}

type Section = { readonly title: string; readonly text: string };

/** The parts of a page of Markdown under headings of the second level, in their order; a deeper heading is part of the text. */
export function sectionsOf(text: string): Section[] {
  return text
    .split(/^## /m)
    .slice(1)
    .map((section) => {
      const end = section.indexOf('\n');
      return { title: section.slice(0, end), text: section.slice(end + 1) };
    });
}

/** The section of that title. */
export function sectionOf(text: string, title: string): string {
  const found = sectionsOf(text).find((section) => section.title === title);
  if (!found) throw new Error(`no section "${title}"`);
  return found.text;
}

export function readPage(name: string): string {
  return readFileSync(`docs/${name}`, 'utf8');
}

/** The cells of each row of the tables in a text, without their headings. */
export function rowsOf(text: string): string[][] {
  return text
    .split(/\n\n+/)
    .map((block) => block.split('\n').filter((line) => line.startsWith('|')))
    .flatMap((lines) => lines.slice(2))
    .map((line) =>
      line
        .split(/(?<!\\)\|/)
        .slice(1, -1)
        .map((cell) => cell.trim()),
    );
}

/** What a text has between backticks. */
export function quotedIn(text: string): string[] {
  return [...text.matchAll(/`([^`]+)`/g)].map(([, quoted = '']) => quoted);
}

/** The blocks of a page that are fenced as that language. */
export function blocksOf(text: string, language: string): string[] {
  const fence = new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\``, 'gms');
  return [...text.matchAll(fence)].map(([, block = '']) => block);
}
