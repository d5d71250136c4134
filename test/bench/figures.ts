import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { finalScreen } from '../support/screen.ts';
import { environment } from './home.ts';
import { curl, type Outcome, race, retrying } from './race.ts';
import { startService } from './service.ts';

/**
 * Draws docs/figures from runs of their own, and prints the rows of the tables beside them: `npm run figures` takes
 * twenty minutes, `npm run figures -- import` two. It needs curl and script.
 */
const wanted = process.argv.slice(2);
if (wanted.length === 0 || wanted.includes('import'))
  save('import', drawImport(await killImport()));
if (wanted.length === 0 || wanted.includes('race')) await drawRace();

function save(name: string, svg: string): void {
  writeFileSync(`docs/figures/${name}.svg`, svg);
}

type Screens = { readonly killed: readonly string[]; readonly resumed: readonly string[] };

/** Imports 150 rows on a terminal, kills that in its first wait, and runs it again. */
async function killImport(columns = 80): Promise<Screens> {
  const service = await startService();
  const folder = mkdtempSync(join(tmpdir(), 'petstore-figure-'));
  const rows = Array.from({ length: 150 }, (_, n) => `species ${n}\n`);
  writeFileSync(join(folder, 'species.csv'), `name\n${rows.join('')}`);
  const petstore = `'${process.execPath}' '${resolve('bin/petstore.js')}'`;
  const command = `stty cols ${columns} rows 40; echo $$ > pid; exec ${petstore} categories import species.csv --yes`;
  const env = { ...environment(folder, service), TERM: 'xterm', LANG: 'C.UTF-8' };

  const first = start();
  while (!/59 of 150/.test(first.shown())) await pause(1_000);
  await pause(5_000);
  process.kill(Number(readFileSync(join(folder, 'pid'), 'utf8')), 'SIGKILL');
  const killed = await first.ended;
  const resumed = await start().ended;
  service.close();
  rmSync(folder, { recursive: true });
  return { killed, resumed };

  function start() {
    const child = spawn('script', ['-qfec', command, '/dev/null'], { cwd: folder, env });
    let shown = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      shown += text;
    });
    const ended = once(child, 'close').then(() => finalScreen(shown, columns));
    return { shown: () => shown, ended };
  }
}

type Row = { readonly text: string; readonly sign?: string; readonly color?: string };

function drawImport({ killed, resumed }: Screens): string {
  const command = { sign: '$', text: 'petstore categories import species.csv --yes' };
  const rows: Row[] = [
    command,
    statusOf(killed.at(-1) ?? ''),
    { text: 'Killed', color: '#ff7b72' },
    command,
    ...resumed
      .filter((row) => /resuming|created (in|earlier:)|^created:/.test(row))
      .map((text) => ({ text })),
  ];
  const width = 40 + 9 * Math.max(...rows.map(({ sign, text }) => text.length + (sign ? 2 : 0)));
  const lines = rows.map(({ sign, text, color }, n) => {
    const start = sign ? `<tspan fill="#3fb950">${sign}</tspan> ` : '';
    return `<text x="20" y="${31 + 20 * n}"${color ? ` fill="${color}"` : ''}>${start}${escapeXml(text)}</text>`;
  });
  return card(
    width,
    36 + 20 * rows.length,
    'An import is killed, and resumed by the same command',
    lines,
  );
}

/** A row with a spinner at its beginning. */
function statusOf(row: string): Row {
  return { sign: row.slice(0, 1), text: row.slice(1).trim() };
}

type Line = { readonly name: string; readonly color: string; readonly outcome: Outcome };

/** Lets 20 loops of each program create 150 categories, all three at the same time. */
async function drawRace(): Promise<void> {
  const options = { creates: 150, loops: 20 };
  const programs = [
    { name: 'petstore', color: '#3fb950', creator: undefined },
    { name: 'curl --retry 10', color: '#58a6ff', creator: curl },
    { name: 'p-retry and fetch', color: '#d29922', creator: retrying },
  ];
  const lines: Line[] = await Promise.all(
    programs.map(async ({ creator, ...line }) => ({
      ...line,
      outcome: await race(creator ? { ...options, creator } : options),
    })),
  );
  for (const { name, outcome } of lines) {
    const { requests, refused, bans, span } = outcome;
    console.log(`| ${[name, requests, refused, bans, span.toFixed(1)].join(' | ')} |`);
  }
  save('race', plot(lines, options.creates));
}

/** Categories created over time, with a red mark for each 429. */
function plot(lines: readonly Line[], creates: number): string {
  const [left, top, width, height] = [50, 40, 690, 200];
  const end = Math.ceil(Math.max(...lines.map(({ outcome }) => outcome.span)) / 100) * 100;
  const x = (seconds: number) => (left + (width * seconds) / end).toFixed(1);
  const y = (created: number) => (top + height - (height * created) / creates).toFixed(1);
  const ticks = Array.from({ length: end / 200 + 1 }, (_, n) => n * 200).map(
    (at) =>
      `<text x="${x(at)}" y="${top + height + 22}" text-anchor="${at === end ? 'end' : 'middle'}" fill="#9198a1">${at} s</text>`,
  );
  const grid = [0, 50, 100, 150].map(
    (n) =>
      `<path d="M${left},${y(n)}H${left + width}" stroke="#30363d"/><text x="${left - 10}" y="${Number(y(n)) + 5}" text-anchor="end" fill="#9198a1">${n}</text>`,
  );
  const drawn = lines.flatMap(({ name, color, outcome }, n) => {
    let created = 0;
    const marks: string[] = [];
    const steps: string[] = [];
    for (const { at, status } of [...outcome.timeline].sort((a, b) => a.at - b.at)) {
      if (status === 429) marks.push(`M${x(at)},${Number(y(created)) - 6}v12`);
      if (status !== 201) continue;
      created += 1;
      steps.push(`H${x(at)}V${y(created)}`);
    }
    const refused = outcome.refused ? `${outcome.refused} × 429` : 'no 429';
    const label = `${name}: ${Math.round(outcome.span)} s, ${refused}`;
    return [
      `<path d="M${x(0)},${y(0)}${steps.join('')}" fill="none" stroke="${color}" stroke-width="2"/>`,
      `<path d="${marks.join('')}" stroke="#ff7b72"/>`,
      `<text x="${left + width - 10}" y="${top + height - 70 + 22 * n}" text-anchor="end" fill="${color}">${label}</text>`,
    ];
  });
  const title = `<text x="20" y="26" fill="#9198a1">categories created, and each 429 (red)</text>`;
  return card(764, top + height + 40, 'Three programs create 150 categories', [
    title,
    ...grid,
    ...ticks,
    ...drawn,
  ]);
}

function card(width: number, height: number, title: string, lines: readonly string[]): string {
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img">
<title>${title}</title>
<style>text { font: 15px ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace; white-space: pre }</style>
<rect width="${width}" height="${height}" rx="10" fill="#0d1117" stroke="#30363d"/>
<g fill="#e6edf3">
${lines.join('\n')}
</g>
</svg>
`;
}

function escapeXml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
}
