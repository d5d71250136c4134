import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { manPage } from '../../src/docs/man.ts';
import { drawnPages, withReference } from '../../src/docs/reference.ts';
import { grownProgram } from '../support/tree.ts';

describe('pages made from the command tree are up to date (npm run docs)', () => {
  test.for(drawnPages)('%s', async (page) => {
    const drawn = withReference(page, readFileSync(page, 'utf8'), await grownProgram());

    await expect(drawn).toMatchFileSnapshot(`../../${page}`);
  });

  test('the man page', async () => {
    await expect(manPage(await grownProgram())).toMatchFileSnapshot('../../man/petstore.1');
  });
});
