import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bodyFaults } from './faults/bodies.ts';
import { codingFaults } from './faults/codings.ts';
import { connectionFaults } from './faults/connections.ts';
import { framingFaults } from './faults/framing.ts';
import { headFaults } from './faults/heads.ts';
import { recordFaults } from './faults/records.ts';
import { statusFaults } from './faults/statuses.ts';
import { strangeFaults } from './faults/strange.ts';
import { textFaults } from './faults/texts.ts';
import { certificateFaults, unreachedFaults } from './faults/unreached.ts';
import { proveFault } from './prove.ts';
import { proveUnreached } from './prove-unreached.ts';
import { startHostilePair } from './server.ts';

/** The whole table on the Node that runs this; writes how many faults it was and what broke a promise, as JSON. */
const met = [
  ...bodyFaults,
  ...codingFaults,
  ...connectionFaults,
  ...framingFaults,
  ...headFaults,
  ...recordFaults,
  ...statusFaults,
  ...strangeFaults,
  ...textFaults,
];
const width = 8;

const folder = mkdtempSync(join(tmpdir(), 'petstore-tls-'));
const pair = await startHostilePair();
const proofs = [
  ...met.map((fault) => ({ fault, prove: () => proveFault(fault, pair.server) })),
  ...[...unreachedFaults, ...certificateFaults(folder)].map((fault) => ({
    fault,
    prove: () => proveUnreached(fault),
  })),
];
const broken: string[] = [];
const left = proofs.values();
await Promise.all(
  Array.from({ length: width }, async () => {
    for (const { fault, prove } of left) {
      for (const promise of await prove()) broken.push(`${fault.fault}: ${promise}`);
    }
  }),
);
if (pair.elsewhere.connections() > 0) broken.push('somebody went where a redirect points');
pair.close();
rmSync(folder, { recursive: true });
console.log(JSON.stringify({ faults: proofs.length, broken }));
