import { readdirSync } from 'node:fs';
import GithubSlugger from 'github-slugger';
import { fromMarkdown } from 'mdast-util-from-markdown';
import { toString as textOf } from 'mdast-util-to-string';

/** What a page is made of, as far as anything here looks at it. */
type Node = {
  readonly type: string;
  readonly children?: readonly Node[];
  readonly value?: string;
  readonly url?: string;
  readonly lang?: string | null | undefined;
};

/** The paths of all pages that people read. */
export const pages: readonly string[] = [
  ...readdirSync('.').filter((name) => name.endsWith('.md')),
  ...readdirSync('docs', { recursive: true, encoding: 'utf8' })
    .map((path) => `docs/${path.replaceAll('\\', '/')}`)
    .filter((path) => path.endsWith('.md')),
];

/** Where the links and images of a page lead to, as they are written there. */
export function targetsOf(markdown: string): string[] {
  return [...nodesOf(fromMarkdown(markdown))].flatMap(({ type, url, value = '' }) => {
    if (url !== undefined) return [url];
    if (type !== 'html') return [];
    const attributes = value.matchAll(/\s(?:href|src|srcset)\s*=\s*["']([^"']*)["']/g);
    return [...attributes].map(([, target = '']) => target);
  });
}

/** What a link to a part of the page can name. */
export function anchorsOf(markdown: string): string[] {
  const slugger = new GithubSlugger();
  return [...nodesOf(fromMarkdown(markdown))].flatMap((node) => {
    if (node.type === 'heading') return [slugger.slug(textOf(node))];
    if (node.type !== 'html') return [];
    return [...(node.value ?? '').matchAll(/\s(?:id|name)="([^"]+)"/g)].map(([, id = '']) => id);
  });
}

/** The paragraphs, headings, table rows and drawings of a page, each on one line, without code and markup. */
export function proseOf(markdown: string): string[] {
  return [...nodesOf(fromMarkdown(markdown))].flatMap((node) => {
    if (node.type === 'code') return node.lang === 'mermaid' ? (node.value ?? '').split('\n') : [];
    if (node.type !== 'paragraph' && node.type !== 'heading') return [];
    const words = wordsOf(node);
    return words.startsWith('|') ? words.split('\n') : [words.replace(/\s+/g, ' ')];
  });
}

function wordsOf(node: Node): string {
  if (node.type === 'inlineCode') return '…';
  if (node.type === 'text') return node.value ?? '';
  return (node.children ?? []).map(wordsOf).join('');
}

function* nodesOf(node: Node): Generator<Node> {
  yield node;
  for (const child of node.children ?? []) yield* nodesOf(child);
}
