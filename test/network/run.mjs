// Real proxies, caches, name servers and links: run.mjs [CHECKOUT] [WORD OF A FAULT]. Prints what each command makes of each fault.
import { spawnSync } from 'node:child_process';
import { setTimeout as pause } from 'node:timers/promises';
import { faults } from './faults.mjs';
import { audit, openWorld, rowsOf, thisCheckout } from './world.mjs';

const [, , checkout = thisCheckout, word = ''] = process.argv;
const has = (program) => spawnSync('sh', ['-c', `command -v ${program}`]).status === 0;
const missing = [
  'ip',
  'ss',
  'python3',
  'openssl',
  'nginx',
  'haproxy',
  'squid',
  'tinyproxy',
  'varnishd',
  'dnsmasq',
].filter((program) => !has(program));
if (missing.length > 0) console.log(`missing, and so not tried: ${missing.join(', ')}`);
if (
  process.getuid() !== 0 ||
  missing.some((program) => ['ip', 'ss', 'python3', 'openssl'].includes(program))
) {
  console.log('network: needs root, ip, ss, python3 and openssl; skipped');
  process.exit();
}

const rows = 200;
const commands = {
  list: ['categories', 'list'],
  create: ['categories', 'create', 'rabbit'],
  '--if-missing': ['categories', 'create', 'ferret', '--if-missing'],
  import: ['categories', 'import', 'rows.csv', '--yes', '--settle', '2s'],
};

console.log('| Fault | Command | Exit | Words | Seconds |\n|---|---|---|---|---|');
let broken = 0;
for (const [name, program, link, open, flags = [], before = [], pauseMs = 0] of faults) {
  if (!name.includes(word) || missing.includes(program)) continue;
  const world = await openWorld(link);
  try {
    const { url, env } = (await open(world)) ?? {};
    world.write('rows.csv', rowsOf(rows));
    for (const command of before) await world.petstore(checkout, commands[command], env, url);
    await pause(pauseMs);
    for (const [command, argv] of Object.entries(commands)) {
      const { code, stderr, seconds } = await world.petstore(
        checkout,
        [...argv, '-q', ...flags],
        env,
        url,
      );
      const said = stderr.trim().split('\n').slice(-3).join(' / ').slice(0, 300);
      console.log(
        `| ${name} | ${command} | ${code} | ${said.replaceAll('|', '\\|')} | ${seconds.toFixed(1)} |`,
      );
      if (command !== 'import' || code !== 0) continue;
      const counts = await world.count();
      const { lost, twice } = audit(
        { names: counts.names.filter((own) => own.startsWith('pet ')) },
        rows,
      );
      console.log(
        `| | | | ${lost} lost, ${twice} twice, ${counts.requests} requests in all, ${counts.connections} connections | |`,
      );
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
