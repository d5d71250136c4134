// The uplink goes silent while rows are in flight, and comes back: silence.mjs [TRIALS] [short|default|killed] [CHECKOUT]...
import { setTimeout as pause } from 'node:timers/promises';
import { audit, openWorld, rowsOf, thisCheckout } from './world.mjs';

const [, , trials = '10', kind = 'short', ...checkouts] = process.argv;
/** The silence ends as the import looks at the list, between two of the system's own tries, the later of which comes too late. */
const kinds = {
  short: {
    flags: ['--timeout', '3s', '--settle', '5s'],
    delay: 25,
    silentMs: 8_200,
    spreadMs: 2_500,
  },
  default: { flags: [], delay: 100, silentMs: 88_500, spreadMs: 4_000 },
  killed: { flags: [], delay: 85, silentMs: 44_000, spreadMs: 8_000, killAfterMs: 2_000 },
};
const { flags, delay, silentMs, spreadMs, killAfterMs } = kinds[kind];
const rows = 200;

for (const checkout of checkouts.length > 0 ? checkouts : [thisCheckout]) {
  const results = [];
  const queue = Array.from({ length: Number(trials) }, (_, n) => n);
  const work = async () => {
    for (let n = queue.shift(); n !== undefined; n = queue.shift())
      results.push(await trial(checkout, n));
  };
  await Promise.all(Array.from({ length: 5 }, work));
  const sum = (name) => results.reduce((total, result) => total + result[name], 0);
  console.log(
    `${checkout}, ${kind}: ${trials} trials of ${rows} rows: ${sum('lost')} lost, ${sum('twice')} twice, ${sum('waiting')} sockets in FIN-WAIT with data; exits ${results.map(({ exits }) => exits).join(' ')}`,
  );
  if (checkout === thisCheckout && sum('lost') + sum('twice') + sum('waiting') > 0)
    process.exitCode = 1;
}

async function trial(checkout, n) {
  const world = await openWorld({ delay });
  try {
    const service = await world.service();
    const inFlight = new Promise((resolve) => {
      service.stdout.on('data', (text) => {
        if (text.includes(`request ${60 + 5 * n};`)) resolve();
      });
    });
    world.write('rows.csv', rowsOf(rows));
    const argv = ['categories', 'import', 'rows.csv', '--yes', ...flags];
    const importRows = (signal) => world.petstore(checkout, argv, {}, undefined, signal);
    const killer = new AbortController();
    let last = importRows(killer.signal);
    await inFlight;
    world.link('silent');
    const exits = [];
    if (killAfterMs) {
      await pause(killAfterMs);
      killer.abort();
      exits.push((await last).code ?? 'killed');
      last = importRows();
    }
    await pause(silentMs + (spreadMs * n) / Number(trials));
    // Nobody resets what a killed process had sent.
    const waiting = (killAfterMs ? '' : world.sockets())
      .split('\n')
      // A connection at rest that is closed leaves only TLS's goodbye.
      .filter((line) => /^(FIN-WAIT|LAST-ACK|CLOSING)\S*\s+\d+\s+\d{3}/.test(line));
    world.link('back');
    exits.push((await last).code);
    for (let runs = 0; exits.at(-1) !== 0 && runs < 4; runs += 1)
      exits.push((await importRows()).code);
    // The last retransmission may be two minutes late.
    await pause(kind === 'short' ? 15_000 : 60_000);
    return { ...audit(await world.count(), rows), waiting: waiting.length, exits: exits.join(',') };
  } finally {
    await world.close();
  }
}
