import { bundle } from '../support/bundle.ts';
import { nodes } from '../support/nodes.ts';
import { expect, test } from '../support/program.ts';

const others = nodes.slice(1);

test('every fault of the table ends as promised on every other Node (needs PETSTORE_TEST_NODES)', {
  tags: ['other-nodes', 'openssl'],
  timeout: 600_000,
}, async ({ execute, folder }) => {
  const program = await bundle('test/hostile/every-fault.ts', folder);

  const proofs = others.map((node) => execute(node, [program]));

  for (const { stdout, stderr } of await Promise.all(proofs)) {
    expect(stderr).toBe('');
    const { faults, broken } = JSON.parse(stdout);
    expect(broken).toEqual([]);
    expect(faults).toBeGreaterThan(450);
  }
});
