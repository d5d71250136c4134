import type { TopLevelSpec } from 'vega-lite';
import type { Palette } from './draw.ts';
import { type Machine, measuredOn, type Races } from './measured.ts';

type Race = Races['races'][number];
type Panel = Extract<TopLevelSpec, { vconcat: unknown }>['vconcat'][number];

/** Each request of some programs that race for one limit: what it created, what was refused, and the bans. */
export function racePlot({ machine, races }: Races) {
  const last = Math.max(...races.flatMap(({ arrivals }) => arrivals.map(({ at }) => at)));
  const most = Math.max(...races.map(createdBy));
  return (palette: Palette): TopLevelSpec => ({
    title: {
      text: `${most} categories, 20 shell loops, 60 requests a minute`,
      subtitle: [
        'line: categories created; dots: refused with 429; band: API key banned',
        measuredOn(machine),
      ],
    },
    spacing: 20,
    vconcat: races.map((race, n) => panel(race, palette, n === races.length - 1)),
  });

  function panel(race: Race, { text, ours, other, refused, ban }: Palette, isLast: boolean): Panel {
    const type = 'quantitative' as const;
    const { line, dots } = pointsOf(race);
    const bans = race.banned.map(({ from, to }) => ({
      at: from / 60,
      to: Math.min(to, last) / 60,
    }));
    return {
      title: { text: headline(race, machine), fontSize: 13, offset: 8, color: text },
      width: 680,
      height: 90,
      encoding: {
        x: {
          field: 'at',
          type,
          scale: { domain: [0, last / 60], nice: false },
          axis: { grid: false, labels: isLast, format: 'd', title: isLast ? 'minutes' : null },
        },
        y: {
          field: 'created',
          type,
          scale: { domain: [0, most * 1.06], nice: false },
          axis: { values: [0, most / 3, (2 * most) / 3, most], title: 'created' },
        },
      },
      layer: [
        {
          data: { values: bans },
          mark: { type: 'rect', color: ban },
          encoding: { x2: { field: 'to' }, y: { value: 0 }, y2: { value: 'height' } },
        },
        {
          data: { values: line },
          mark: {
            type: 'line',
            interpolate: 'step-after',
            color: isPetstore(race) ? ours : other,
            strokeWidth: 2.5,
          },
        },
        {
          data: { values: dots },
          mark: { type: 'circle', size: 40, color: refused, opacity: 0.8 },
        },
      ],
    };
  }
}

function createdBy({ arrivals }: Race): number {
  return arrivals.filter(({ status }) => status === 201).length;
}

function pointsOf({ arrivals }: Race) {
  const line = [{ at: 0, created: 0 }];
  const dots: typeof line = [];
  for (const { at, status } of arrivals) {
    const created = line.at(-1)?.created ?? 0;
    if (status === 201) line.push({ at: at / 60, created: created + 1 });
    else if (status === 429) dots.push({ at: at / 60, created });
  }
  return { line, dots };
}

function isPetstore({ name }: Race): boolean {
  return !name.startsWith('peer ');
}

/** What the race is of, and how it went. */
function headline(race: Race, { peers }: Machine): string {
  const { name, arrivals, banned } = race;
  const who = isPetstore(race)
    ? 'petstore'
    : name.includes('curl')
      ? `curl ${peers.curl} --retry 10`
      : `p-retry ${peers['p-retry']} and fetch`;
  const refused = arrivals.filter(({ status }) => status === 429).length;
  const bans = banned.length === 1 ? '1 ban' : `${banned.length} bans`;
  const seconds = Math.round(Math.max(...arrivals.map(({ at }) => at)));
  const span = `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
  return `${who}: ${arrivals.length} requests, ${refused} × 429, ${bans}, ${span}`;
}
