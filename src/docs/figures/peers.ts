import { between, table } from '../table.ts';
import { measuredOn, type Speed } from './measured.ts';

/** The page with the table of what else lists categories. */
export function withPeers(page: string, text: string, speed: Speed): string {
  return between(page, text, 'peers', peersTable(speed));
}

function peersTable({ machine, runs, bars }: Speed): string {
  const programs = [...new Set(bars.flatMap(({ program }) => program ?? []))];
  const sizes = bars.flatMap(({ size }) => size ?? []);
  const [few, many] = [Math.min(...sizes), Math.max(...sizes)];
  const head = [
    `Median of ${runs} runs`,
    `first response: ${few} categories, ms`,
    `${many.toLocaleString('en')} categories, s`,
    'peak memory, MB',
    'installed, MB',
  ];
  const rows = programs.map((program) => {
    const own = bars.filter((bar) => bar.program === program);
    const figure = (size: number | undefined, unit: string) =>
      own.find((bar) => bar.size === size && bar.unit === unit)?.figure;
    const notes = own.flatMap(({ note }) => note ?? []);
    const missing = own.every((bar) => bar.figure === undefined);
    if (missing) return [program, notes.join(', '), '', '', ''];
    return [
      program,
      cell(figure(few, 's'), (seconds) => (1_000 * seconds).toFixed(0)),
      cell(figure(many, 's'), (seconds) => seconds.toFixed(2)),
      cell(figure(many, 'MB'), (mb) => mb.toFixed(0)),
      [cell(figure(undefined, 'MB'), (mb) => mb.toFixed(1)), ...notes].join(', '),
    ];
  });
  return `${table(head, rows)}\n\n${measuredOn(machine)}${versionsOf(machine.peers)}`;
}

function cell(figure: number | undefined, text: (figure: number) => string): string {
  return figure === undefined ? '' : text(figure);
}

/** Those of the programs that this machine has. */
function versionsOf({ curl, jq, http }: Speed['machine']['peers']): string {
  const known = Object.entries({ curl, jq, HTTPie: http });
  return known.map(([name, version]) => (version ? `, ${name} ${version}` : '')).join('');
}
