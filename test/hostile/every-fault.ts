import { bodyFaults } from './faults/bodies.ts';
import { codingFaults } from './faults/codings.ts';
import { connectionFaults } from './faults/connections.ts';
import { framingFaults } from './faults/framing.ts';
import { headFaults } from './faults/heads.ts';
import { recordFaults } from './faults/records.ts';
import { statusFaults } from './faults/statuses.ts';
import { strangeFaults } from './faults/strange.ts';
import { textFaults } from './faults/texts.ts';
import { proveFault } from './prove.ts';
import { startHostilePair } from './server.ts';

/** The whole table on the Node that runs this; writes how many faults it was and what broke a promise, as JSON. */
const faults = [
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

const pair = await startHostilePair();
const broken: string[] = [];
const left = faults.values();
await Promise.all(
  Array.from({ length: width }, async () => {
    for (const fault of left) {
      for (const promise of await proveFault(fault, pair.server)) {
        broken.push(`${fault.fault}: ${promise}`);
      }
    }
  }),
);
if (pair.elsewhere.connections() > 0) broken.push('somebody went where a redirect points');
pair.close();
console.log(JSON.stringify({ faults: faults.length, broken }));
