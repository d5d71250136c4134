import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { houseDrawing } from '../../../src/docs/house.ts';
import { manPage } from '../../../src/docs/man.ts';
import { drawnPages, withReference } from '../../../src/docs/reference.ts';
import { grownProgram } from '../../support/tree.ts';

/** What is drawn from the tree of commands is as the tree is; `npm run docs` draws it anew. */
describe('drawn from the tree of commands', () => {
  test.for(drawnPages)('what is between the markers of %s', async (page) => {
    const drawn = withReference(page, readFileSync(page, 'utf8'), await grownProgram());

    await expect(drawn).toMatchFileSnapshot(`../../../${page}`);
  });

  test('the man page', async () => {
    await expect(manPage(await grownProgram())).toMatchFileSnapshot('../../../man/petstore.1');
  });

  test('the man page is well formed (needs mandoc)', { tags: ['mandoc'] }, () => {
    const args = ['-Tlint', 'man/petstore.1'];
    const lint = spawnSync('mandoc', args, { encoding: 'utf8' });
    // A date would have to change with every build.
    const faults = lint.stdout.split('\n').filter((line) => !line.includes('missing date'));

    expect(faults.filter(Boolean)).toEqual([]);
  });
});

test('the drawing of the rooms is as their imports are', async () => {
  const drawing = await houseDrawing();

  await expect(drawing).toMatchFileSnapshot('../../../docs/internals/house.svg');
});
