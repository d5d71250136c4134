import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { pages } from '../support/pages.ts';

const files = ['src', 'test'].flatMap((folder) =>
  readdirSync(folder, { recursive: true }).map((path) => `/${folder}/${path}`),
);

/** Placeholders, and what the build and the program make. */
const made = /ROOM|GROUP|VERB|^dist\/|^names\/$/;

/** Pages that name files of the source. */
const documents = pages.filter((path) =>
  /^(CONTRIBUTING|SECURITY|docs\/guarantees|docs\/internals\/.*)\.md$/.test(path),
);

describe.for(documents)('%s', (document) => {
  test('names only files and folders that exist', () => {
    const text = readFileSync(document, 'utf8');
    const cited = [...text.matchAll(/`([\w./-]*(?:\/[\w.-]*|\.(?:[cm]?[jt]s|json)))`/g)]
      .map(([, path = '']) => path)
      .filter((path) => !path.startsWith('/') && !made.test(path));

    const missing = cited.filter((path) => {
      const tail = `/${path.replace(/\/$/, '')}`;
      return !existsSync(path) && !files.some((file) => file.endsWith(tail));
    });

    expect(missing).toEqual([]);
  });
});
