// Measures petstore beside a peer, in turns: `npm run bench`, `npm run bench -- start 30`. It prints ratios of medians of one run;
// times drift with the machine. Lists and the import need curl and jq. Leave NODE_EXTRA_CA_CERTS unset: it makes a bare start slow.
import { fork, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';

const rows = 1_000_000;
const kinds = {
  ascii: (n) => category(n, `category ${n}`, `number ${n}, of many`),
  chinese: (n) => category(n, `类别编号是 ${n}`, `第 ${n} 个，共有很多个`),
  arabic: (n) => category(n, `الفئة رقم ${n}`, `الرقم ${n} من العديد`),
  hindi: (n) => category(n, `श्रेणी ${n}`, `बहुत में से ${n}`),
  mixed: (n) => kinds[n % 50 === 0 ? 'chinese' : 'ascii'](n),
};
const formats = ['ndjson', 'json', 'csv', 'tsv', 'yaml', 'table'];
const parts = { start: measureStart, lists: measureLists, import: measureImport };

const [part = Object.keys(parts).join(','), turns = '15'] = process.argv.slice(2);
if (part === 'service') serve();
else await measure();

async function measure() {
  const folder = mkdtempSync(join(tmpdir(), 'petstore-speed-'));
  const service = fork(process.argv[1], ['service']);
  const [port] = await once(service, 'message');
  console.log(`Node ${process.versions.node}`);
  for (const name of part.split(',')) parts[name](`http://127.0.0.1:${port}`, folder);
  service.kill();
  rmSync(folder, { recursive: true });
}

function measureStart(url, folder) {
  const env = environment(`${url}/3.start`, folder);
  const petstore = (...args) => ({ argv: [process.execPath, 'bin/petstore.js', ...args], env });
  const list = (...args) => petstore('categories', 'list', ...args);
  const taken = takeTurns(Number(turns), {
    bare: () => ({ argv: [process.execPath, '-e', '0'], env }),
    '--version': () => petstore('--version'),
    '--help': () => petstore('--help'),
    'list --json': () => list('--json'),
    list: () => list(),
    'list of 1,000': () => list('--base-url', `${url}/1000.start/v1`),
  });
  const { bare, ...commands } = taken;
  for (const [name, { seconds }] of Object.entries(commands)) {
    print(`${name} / node -e 0`, seconds / bare.seconds);
  }
}

function measureLists(url, folder) {
  const peak = join(folder, 'peak');
  const list = (format, address) => ({
    argv: [
      ...[process.execPath, '--require', resolve('test/support/programs/peak.cjs')],
      ...['bin/petstore.js', 'categories', 'list', '--quiet', '--output', format],
    ],
    env: { ...environment(address, folder), PETSTORE_TEST_PEAK: peak },
    peak,
  });
  const pipe = (address) => ({
    argv: ['sh', '-c', `curl --silent '${address}/v1/categories' | jq -c '.[]'`],
    env: { PATH: process.env.PATH },
  });
  const few = Math.ceil(Number(turns) / 5);
  for (const kind of ['ascii', 'mixed']) {
    const address = `${url}/${rows}.${kind}`;
    const { pipe: piped, ndjson } = takeTurns(few, {
      pipe: () => pipe(address),
      ndjson: () => list('ndjson', address),
    });
    print(`1,000,000 rows, ${kind}, as NDJSON / curl | jq, CPU`, ndjson.cpu / piped.cpu);
    print(`1,000,000 rows, ${kind}, as NDJSON, peak in MB`, ndjson.peak);
  }
  for (const format of formats) {
    const address = (kind) => `${url}/100000.${kind}`;
    const programs = Object.keys(kinds).map((kind) => [kind, () => list(format, address(kind))]);
    const { ascii, ...others } = takeTurns(few, Object.fromEntries(programs));
    for (const [kind, { cpu }] of Object.entries(others)) {
      print(`100,000 rows as ${format}, ${kind} / ascii, CPU`, cpu / ascii.cpu);
    }
  }
}

function measureImport(url, folder) {
  const names = Array.from({ length: 10_000 }, (_, n) => `category ${n}`);
  const file = join(folder, 'rows.csv');
  const config = join(folder, 'rows.curl');
  writeFileSync(file, `name\n${names.join('\n')}\n`);
  const requests = names.map((name) => {
    const json = JSON.stringify(JSON.stringify({ name }));
    return `url = "${url}/0.curl/v1/categories"\njson = ${json}\noutput = /dev/null\n`;
  });
  writeFileSync(config, requests.join('next\n'));
  const argv = ['bin/petstore.js', 'categories', 'import', file, '--yes', '--quiet'];
  const { ours, curl } = takeTurns(Math.ceil(Number(turns) / 3), {
    // A service and a state of its own each time, or nothing would be left to do.
    ours: (turn) => ({
      argv: [process.execPath, ...argv],
      env: environment(`${url}/0.${turn}`, join(folder, `${turn}`)),
    }),
    curl: () => ({
      argv: ['curl', '--silent', '--parallel', '--parallel-max', '32', '--config', config],
      env: { PATH: process.env.PATH },
    }),
  });
  print('import of 10,000 rows / curl --parallel', ours.seconds / curl.seconds);
}

function environment(url, folder) {
  return {
    PATH: process.env.PATH,
    PETSTORE_BASE_URL: `${url}/v1`,
    PETSTORE_API_KEY: 'bench-key-0123456789',
    PETSTORE_STATE_DIR: join(folder, 'state'),
    PETSTORE_CONFIG_DIR: join(folder, 'config'),
  };
}

/** Runs programs in turns, and returns the medians of each. A first turn, which finds caches cold, is not counted. */
function takeTurns(count, programs) {
  const taken = Object.fromEntries(Object.keys(programs).map((name) => [name, []]));
  for (let turn = 0; turn <= count; turn += 1) {
    for (const [name, program] of Object.entries(programs)) {
      const run = runOnce(program(turn));
      if (turn > 0) taken[name].push(run);
    }
  }
  const median = (runs, figure) =>
    runs.map((run) => run[figure]).sort((a, b) => a - b)[Math.floor(runs.length / 2)];
  const figures = (runs) => ['seconds', 'cpu', 'peak'].map((name) => [name, median(runs, name)]);
  return Object.fromEntries(
    Object.entries(taken).map(([name, runs]) => [name, Object.fromEntries(figures(runs))]),
  );
}

function runOnce({ argv: [program, ...args], env, peak }) {
  const cpuBefore = cpuOfChildren();
  const start = performance.now();
  const { status, stderr } = spawnSync(program, args, { env, stdio: ['ignore', 'ignore', 'pipe'] });
  const seconds = (performance.now() - start) / 1_000;
  if (status !== 0) throw new Error(`${program} ${args.join(' ')}: exit ${status}: ${stderr}`);
  const cpu = cpuOfChildren() - cpuBefore;
  return { seconds, cpu, peak: peak && (Number(readFileSync(peak, 'utf8')) * 1_024) / 1e6 };
}

/** Linux counts the time of children that have ended, in ticks of 10 ms. */
function cpuOfChildren() {
  const fields = readFileSync('/proc/self/stat', 'utf8').split(') ')[1].split(' ');
  return (Number(fields[13]) + Number(fields[14])) / 100;
}

function print(name, figure) {
  console.log(`${name.padEnd(60)} ${figure.toFixed(2).padStart(9)}`);
}

/** The id of one in ten is beyond what a double can tell from its neighbours. */
function category(n, name, description) {
  const id = n % 10 === 0 ? 9_007_199_254_740_993n + BigInt(n) : n;
  return `{"id":${id},"name":"${name}","description":"${description}"}`;
}

/** Answers at /ROWS.NAME/v1: a store of its own for each name, of a kind if the name is one. Its limit is never reached. */
function serve() {
  const stores = new Map();
  const open = (name) => {
    const [count, kind] = name.split('.');
    const list = Array.from({ length: Number(count) }, (_, n) => (kinds[kind] ?? kinds.ascii)(n));
    return { list, bytes: undefined };
  };
  const server = createServer(async (request, response) => {
    const [, name] = request.url.split('/');
    if (!stores.has(name)) stores.set(name, open(name));
    const store = stores.get(name);
    const headers = {
      'content-type': 'application/json',
      'x-ratelimit-limit': '100000000',
      'x-ratelimit-remaining': '99999999',
      'x-ratelimit-reset': String(Math.ceil(Date.now() / 60_000) * 60),
    };
    if (request.method === 'POST') {
      const created = { id: store.list.length + 1, ...JSON.parse(await text(request)) };
      store.bytes = undefined;
      store.list.push(JSON.stringify(created));
      response.writeHead(201, headers).end(JSON.stringify(created));
      return;
    }
    store.bytes ??= Buffer.from(`[${store.list.join(',')}]`);
    response.writeHead(200, { ...headers, 'content-length': store.bytes.length }).end(store.bytes);
  });
  process.once('disconnect', () => process.exit());
  server.listen(0, '127.0.0.1', () => process.send(server.address().port));
}
