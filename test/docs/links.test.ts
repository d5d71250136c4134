import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path/posix';
import { expect, test } from 'vitest';
import { pages } from '../support/pages.ts';

/** Where links, images and sources of pictures lead to. */
const targets = /\]\(([^)\s]+)\)|^\[[^\]]+\]: +(\S+)|\s(?:href|src|srcset)="([^"]+)"/gm;

test.for(pages)('every relative link, anchor and image of %s exists', (page) => {
  expect(faultsOf(page, readFileSync(page, 'utf8'))).toEqual([]);
});

function faultsOf(page: string, markdown: string): string[] {
  return [...withoutCode(markdown).matchAll(targets)]
    .map(([, link, definition, source]) => link ?? definition ?? source ?? '')
    .filter((target) => !/^([a-z][\w+.-]*:|\/\/)/i.test(target))
    .flatMap((target) => faultOf(page, target)?.replace(/^/, `${target} `) ?? []);
}

function faultOf(page: string, target: string): string | undefined {
  const [path = '', anchor] = target.split('#', 2).map(decodeURIComponent);
  const file = path === '' ? page : join(dirname(page), path);
  if (path.startsWith('/') || file.startsWith('..')) return 'leads out of the repository';
  if (!existsSync(file)) return 'does not exist';
  if (anchor === undefined || anchorsOf(readFileSync(file, 'utf8')).includes(anchor))
    return undefined;
  return 'names a section that does not exist';
}

/** Headings, as GitHub makes anchors of them. */
function anchorsOf(markdown: string): string[] {
  return [...markdown.replace(/^```[\s\S]*?^```/gm, '').matchAll(/^#+ (.*)$/gm)].map(
    ([, heading = '']) =>
      heading
        .toLowerCase()
        .replace(/[^\p{L}\p{N}\s_-]/gu, '')
        .replaceAll(' ', '-'),
  );
}

function withoutCode(markdown: string): string {
  return markdown.replace(/^ *```[\s\S]*?^ *```/gm, '').replace(/`[^`\n]+`/g, '');
}
