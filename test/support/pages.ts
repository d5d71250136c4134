import { readdirSync } from 'node:fs';

/** The paths of all pages that people read. */
export const pages: readonly string[] = [
  ...readdirSync('.').filter((name) => name.endsWith('.md')),
  ...readdirSync('docs', { recursive: true, encoding: 'utf8' })
    .map((path) => `docs/${path.replaceAll('\\', '/')}`)
    .filter((path) => path.endsWith('.md')),
];
