// Draws docs/figures/import.svg from a real run, in about two minutes: `npm run figure`. It needs script.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import headless from '@xterm/headless';

const columns = 100;
const command = 'petstore categories import species.csv --yes --profile sandbox';

const folder = mkdtempSync(join(tmpdir(), 'petstore-figure-'));
const names = Array.from({ length: 150 }, (_, n) => `species ${n}\n`);
writeFileSync(join(folder, 'species.csv'), `name\n${names.join('')}`);
const first = start();
while (!/59 of 150/.test(first.shown())) await pause(1_000);
await pause(5_000);
process.kill(Number(readFileSync(join(folder, 'pid'), 'utf8')), 'SIGKILL');
const killed = await first.screen();
const resumed = await start().screen();
rmSync(folder, { recursive: true });
writeFileSync('docs/figures/import.svg', draw());

function start() {
  const petstore = `'${process.execPath}' '${resolve('bin/petstore.js')}'`;
  const script = `stty cols ${columns} rows 40; echo $$ > pid; exec ${command.replace('petstore', petstore)}`;
  const env = { PATH: process.env.PATH, HOME: folder, TERM: 'xterm', LANG: 'C.UTF-8' };
  const child = spawn('script', ['-qfec', script, '/dev/null'], { cwd: folder, env });
  let shown = '';
  child.stdout.setEncoding('utf8').on('data', (text) => {
    shown += text;
  });
  return { shown: () => shown, screen: () => once(child, 'close').then(() => render(shown)) };
}

/** Returns the lines that a terminal shows in the end. */
async function render(bytes) {
  const terminal = new headless.Terminal({ cols: columns, rows: 50, allowProposedApi: true });
  await new Promise((written) => terminal.write(bytes, written));
  const { active } = terminal.buffer;
  const lines = Array.from({ length: active.length }, (_, row) => active.getLine(row));
  return lines.map((line) => line?.translateToString(true) ?? '').filter(Boolean);
}

function draw() {
  const prompt = { sign: '$', text: command };
  const status = killed.at(-1);
  const rows = [
    prompt,
    { sign: status.slice(0, 1), text: status.slice(1).trim() },
    { text: 'Killed', color: '#ff7b72' },
    prompt,
    ...resumed.filter((row) => /^created|^already exist/.test(row)).map((text) => ({ text })),
  ];
  const width = 40 + 9 * Math.max(...rows.map(({ sign, text }) => text.length + (sign ? 2 : 0)));
  const height = 36 + 20 * rows.length;
  const lines = rows.map(({ sign, text, color }, n) => {
    const start = sign ? `<tspan fill="#3fb950">${sign}</tspan> ` : '';
    const escaped = text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
    return `<text x="20" y="${31 + 20 * n}"${color ? ` fill="${color}"` : ''}>${start}${escaped}</text>`;
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img">
<title>An import is killed, and resumed by the same command</title>
<style>text { font: 15px ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace; white-space: pre }</style>
<rect width="${width}" height="${height}" rx="10" fill="#0d1117" stroke="#30363d"/>
<g fill="#e6edf3">
${lines.join('\n')}
</g>
</svg>
`;
}
