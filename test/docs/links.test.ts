import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path/posix';
import { describe, expect, test } from 'vitest';
import { anchorsOf, pages, targetsOf } from '../support/pages.ts';

const anchors = new Map(pages.map((page) => [page, anchorsOf(readFileSync(page, 'utf8'))]));

/** What is wrong with a link on a page, or undefined. */
function faultOf(page: string, target: string): string | undefined {
  const [path = '', anchor] = target.split('#', 2).map(decodeURIComponent);
  if (path.startsWith('/')) return 'is an absolute path';
  const file = path === '' ? page : join(dirname(page), path);
  if (file.startsWith('..')) return 'leads out of the repository';
  if (!existsSync(file)) return 'does not exist';
  const missing = anchor !== undefined && anchors.get(file)?.includes(anchor) === false;
  return missing ? 'names a section that does not exist' : undefined;
}

function faultsOf(page: string, markdown: string): string[] {
  return targetsOf(markdown)
    .filter((target) => !/^([a-z][\w+.-]*:|\/\/)/i.test(target))
    .flatMap((target) => faultOf(page, target)?.replace(/^/, `${target} `) ?? []);
}

describe('every relative link, anchor and image exists', () => {
  test.for(pages)('in %s', (page) => {
    expect(faultsOf(page, readFileSync(page, 'utf8'))).toEqual([]);
  });

  test.for([
    ['a page', '[a](docs/none.md)', 'docs/none.md does not exist'],
    ['a section', '[a](SECURITY.md#none)', 'SECURITY.md#none names a section that does not exist'],
    ['a section of the page itself', '[a](#none)', '#none names a section that does not exist'],
    ['a link with a definition', '[a]\n\n[a]: none.md', 'none.md does not exist'],
    ['an image', '![a](none.svg)', 'none.svg does not exist'],
    [
      'a source of a picture',
      '<picture><source srcset="none.svg"><img src="README.md"></picture>',
      'none.svg does not exist',
    ],
    ['a file of this machine', '[a](/etc/hosts)', '/etc/hosts is an absolute path'],
    [
      'a file outside of the repository',
      '[a](../none.md)',
      '../none.md leads out of the repository',
    ],
  ] as const)('%s that does not is found', ([, markdown, fault]) => {
    expect(faultsOf('CONTRIBUTING.md', markdown)).toEqual([fault]);
  });

  test('code and other hosts are left alone', () => {
    const markdown = '`[a](none.md)` [b](https://example.test/none.md)\n\n```\n[c](none.md)\n```\n';

    expect(faultsOf('README.md', markdown)).toEqual([]);
  });
});
