import fc from 'fast-check';
import { brokenByName, hostileName } from '../support/names.ts';

/** Shows hostile names at full length: `npm run bench:names -- RUNS SEED` takes so many (200,000). */
const [runs = '200000', seed = String(Date.now() % 1_000_000_000)] = process.argv.slice(2);
console.log(`names: ${runs} of seed ${seed}`);
const start = performance.now();
let broken = 0;
for (let first = 0; first < Number(runs); first += 10_000) {
  const numRuns = Math.min(10_000, Number(runs) - first);
  for (const name of fc.sample(hostileName, { numRuns, seed: Number(seed) + first })) {
    const promises = brokenByName(name);
    if (promises.length > 0) console.log(`${JSON.stringify(name)}: ${promises.join(', ')}`);
    broken += Math.min(1, promises.length);
  }
}
const seconds = Math.round((performance.now() - start) / 1_000);
console.log(`names: ${broken} broke a promise; ${seconds} s`);
process.exitCode = broken > 0 ? 1 : 0;
