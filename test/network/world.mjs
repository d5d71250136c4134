// Two network namespaces with a link between them: petstore in the first one, 10.9.0.1, all else in the second one, 10.9.0.2.
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

const here = import.meta.dirname ?? dirname(new URL(import.meta.url).pathname);
export const thisCheckout = join(here, '../..');
export const key = 'network-key-0123456789';
let worlds = 0;

/** Makes a certificate for names in a folder, valid for some days that may be over. */
export function certify(
  folder,
  name,
  names = ['IP:10.9.0.2', 'DNS:pets.test'],
  days = ['20200101', '21200101'],
) {
  const [from, to] = days.map((day) => `${day}000000Z`);
  const run = (line) => execFileSync('openssl', line.split(' '), { cwd: folder, stdio: 'pipe' });
  const request = '-newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes';
  writeFileSync(
    join(folder, 'ca.cnf'),
    '[ca]\ndefault_ca=o\n[o]\ndatabase=index\nnew_certs_dir=.\nrand_serial=yes\ndefault_md=sha256\nunique_subject=no\npolicy=p\n[p]\ncommonName=supplied\n',
  );
  writeFileSync(join(folder, 'names'), `subjectAltName=${names.join(',')}\n`);
  writeFileSync(join(folder, 'index'), '', { flag: 'a' });
  if (name === 'service')
    run(`req -x509 ${request} -keyout own.key -out own.pem -days 3 -subj /CN=own`);
  run(`req -new ${request} -keyout ${name}.key -out made.csr -subj /CN=made`);
  run(
    `ca -batch -config ca.cnf -cert own.pem -keyfile own.key -startdate ${from} -enddate ${to} -extfile names -in made.csr -out ${name}.pem -notext`,
  );
  execFileSync('sh', ['-c', `cat ${name}.pem ${name}.key > ${name}.both`], { cwd: folder });
}

export async function openWorld({ delay = 1, loss = 0 } = {}) {
  worlds += 1;
  const [near, far] = ['a', 'b'].map((side) => `pn${process.pid % 10_000}${side}${worlds}`);
  const folder = mkdtempSync(join(tmpdir(), 'petstore-network-'));
  const children = [];
  const start = (program, args, options = {}) => {
    const child = spawn(program, args, {
      cwd: folder,
      stdio: ['pipe', 'pipe', 'pipe'],
      ...options,
    });
    children.push(child);
    child.on('error', () => {});
    return child;
  };
  const within = (namespace, program, ...args) =>
    start('ip', ['netns', 'exec', namespace, program, ...args]);
  const dns = `/etc/netns/${near}`;
  mkdirSync(dns, { recursive: true });
  writeFileSync(join(dns, 'resolv.conf'), 'nameserver 10.9.0.2\n');
  for (const namespace of [near, far]) execFileSync('ip', ['netns', 'add', namespace]);
  const link = start('python3', [join(here, 'link.py'), near, far, String(delay), String(loss)]);
  await once(link.stdout, 'data');
  certify(folder, 'service');

  const world = {
    id: near,
    folder,
    dns: (address) => writeFileSync(join(dns, 'resolv.conf'), `nameserver ${address}\n`),
    link: (word) => link.stdin.write(`${word}\n`),
    sockets: () => execFileSync('ip', ['netns', 'exec', near, 'ss', '-tanH']).toString(),
    /** Starts a daemon by a line of words, and waits for its port. */
    async serve(port, line) {
      const child = within(far, ...line.split(' '));
      let said = '';
      for (const stream of [child.stdout, child.stderr])
        stream.on('data', (text) => (said += text));
      for (let tries = 0; tries < 100; tries += 1) {
        const ports = execFileSync('ip', ['netns', 'exec', far, 'ss', '-tulnH']).toString();
        if (ports.includes(`:${port} `)) return child;
        await pause(50);
      }
      throw new Error(`${line} does not listen on ${port}: ${said.slice(0, 500)}`);
    },
    service: () => {
      const script = join(here, 'service.mjs');
      return world.serve(8443, `${process.execPath} ${script} service.pem service.key 8443`);
    },
    /** Asks the service past all that stands before it. */
    async count() {
      const script = `require('https').get({host:'127.0.0.1',port:8443,path:'/v1/count',rejectUnauthorized:false},(r)=>r.pipe(process.stdout))`;
      const child = within(far, process.execPath, '-e', script);
      let out = '';
      child.stdout.on('data', (text) => (out += text));
      await once(child, 'close');
      return JSON.parse(out);
    },
    /** Runs petstore, with a state of its own that outlives the run. */
    async petstore(checkout, args, env = {}, url = 'https://10.9.0.2:8443/v1', signal = undefined) {
      const from = performance.now();
      const home = join(folder, 'home');
      mkdirSync(home, { recursive: true });
      const own = {
        PATH: process.env.PATH,
        HOME: home,
        PETSTORE_BASE_URL: url,
        PETSTORE_API_KEY: key,
      };
      const command = [process.execPath, join(checkout, 'bin/petstore.js'), ...args];
      const child = start('ip', ['netns', 'exec', near, ...command], {
        env: { ...own, NODE_EXTRA_CA_CERTS: join(folder, 'own.pem'), ...env },
      });
      signal?.addEventListener('abort', () => child.kill('SIGKILL'));
      child.stdin.end();
      let stderr = '';
      child.stdout.resume();
      child.stderr.on('data', (text) => (stderr += text));
      const [code] = await once(child, 'close');
      return { code, stderr, seconds: (performance.now() - from) / 1000 };
    },
    write: (name, text) => writeFileSync(join(folder, name), text),
    async close() {
      for (const child of children) child.kill('SIGKILL');
      for (const namespace of [near, far]) {
        const pids = execFileSync('ip', ['netns', 'pids', namespace]).toString();
        for (const pid of pids.split('\n').filter(Boolean)) {
          try {
            process.kill(Number(pid), 'SIGKILL');
          } catch {}
        }
        execFileSync('ip', ['netns', 'del', namespace]);
      }
      rmSync(dns, { recursive: true });
      // squid leaves its shared memory behind when it is killed.
      for (const name of readdirSync('/dev/shm')) {
        if (name.startsWith(`${near}-`)) rmSync(join('/dev/shm', name));
      }
      rmSync(folder, { recursive: true, force: true });
    },
  };
  return world;
}

export const rowsOf = (count) =>
  `name\n${Array.from({ length: count }, (_, n) => `pet ${n}\n`).join('')}`;

/** Counts the rows of a file that the service lacks, and those that it has twice. */
export function audit({ names }, count) {
  const seen = new Map();
  for (const name of names) seen.set(name, (seen.get(name) ?? 0) + 1);
  return { lost: count - seen.size, twice: [...seen.values()].filter((times) => times > 1).length };
}
