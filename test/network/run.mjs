// Real proxies, caches, name servers and links: run.mjs [CHECKOUT] [WORD OF A FAULT]. Prints what each command makes of each fault.
import { spawnSync } from 'node:child_process';
import { setTimeout as pause } from 'node:timers/promises';
import { faults } from './faults.mjs';
import { audit, openWorld, rowsOf, thisCheckout } from './world.mjs';

const [, , checkout = thisCheckout, word = ''] = process.argv;
const has = (program) => spawnSync('sh', ['-c', `command -v ${program}`]).status === 0;
const tools = ['ip', 'ss', 'python3', 'openssl'];
if (process.getuid() !== 0 || !tools.every(has)) {
  console.log(`network: needs root, ${tools.join(', ')}; skipped`);
  process.exit();
}
const missing = new Set(faults.map(([, program]) => program).filter((name) => name && !has(name)));
if (missing.size > 0) console.log(`missing, and so not tried: ${[...missing].join(', ')}`);

const rows = 200;
const commands = {
  list: ['categories', 'list'],
  create: ['categories', 'create', 'rabbit'],
  '--if-missing': ['categories', 'create', 'ferret', '--if-missing'],
  import: ['categories', 'import', 'rows.csv', '--yes', '--settle', '2s'],
};

console.log('| Fault | Command | Exit | Words | Seconds |\n|---|---|---|---|---|');
let broken = 0;
for (const [name, program, open, { link, flags = [], before = [], pauseMs = 0 } = {}] of faults) {
  if (!name.includes(word) || missing.has(program)) continue;
  const world = await openWorld(link);
  try {
    const { url, env } = (await open(world)) ?? {};
    world.write('rows.csv', rowsOf(rows));
    for (const command of before) await world.petstore(checkout, commands[command], env, url);
    await pause(pauseMs);
    for (const [command, argv] of Object.entries(commands)) {
      const line = [...argv, '-q', ...flags];
      const { code, stderr, seconds } = await world.petstore(checkout, line, env, url);
      const said = stderr.trim().split('\n').slice(-3).join(' / ').slice(0, 300);
      const cells = [name, command, code, said.replaceAll('|', '\\|'), seconds.toFixed(1)];
      console.log(`| ${cells.join(' | ')} |`);
      if (command !== 'import' || code !== 0) continue;
      const { names, requests, connections } = await world.count();
      const { lost, twice } = audit({ names: names.filter((own) => own.startsWith('pet ')) }, rows);
      const sums = `${lost} lost, ${twice} twice, ${requests} requests in all, ${connections} connections`;
      console.log(`| | | | ${sums} | |`);
      broken += lost + twice;
    }
  } catch (error) {
    broken += 1;
    console.log(`| ${name} | | | could not be tried: ${error.message.replaceAll('\n', ' ')} | |`);
  } finally {
    await world.close();
  }
}
if (broken > 0) process.exitCode = 1;
