import { parse, resetSVGDefIds, View } from 'vega';
import { type Config, compile, type TopLevelSpec } from 'vega-lite';

/** Colours that people who do not see red and green apart can tell, on each background (Okabe and Ito). */
const palettes = {
  light: {
    background: '#ffffff',
    text: '#1f2328',
    muted: '#59636e',
    grid: '#d9dee3',
    ours: '#0072b2',
    other: '#6e7781',
    refused: '#d55e00',
    ban: '#f6d9c6',
  },
  dark: {
    background: '#0d1117',
    text: '#f0f6fc',
    muted: '#9198a1',
    grid: '#2d333b',
    ours: '#56b4e9',
    other: '#7d8590',
    refused: '#ff9a52',
    ban: '#4a2a14',
  },
} as const;

export type Theme = keyof typeof palettes;
export type Palette = (typeof palettes)[Theme];
export const themes = Object.keys(palettes) as Theme[];

/** A plot as SVG, 800 pixels wide at most. Two files and no media query: a page chooses, and its reader may have overruled the system. */
export async function draw(
  plot: (palette: Palette) => TopLevelSpec,
  theme: Theme,
): Promise<string> {
  const palette = palettes[theme];
  const { spec } = compile({ ...plot(palette), config: configOf(palette) });
  resetSVGDefIds();
  const view = new View(parse(spec), { renderer: 'none' });
  const svg = await view.toSVG();
  view.finalize();
  return `${svg}\n`;
}

function configOf({ background, text, muted, grid }: Palette): Config {
  return {
    background,
    padding: 16,
    aria: false,
    font: 'Helvetica, Arial, sans-serif',
    title: {
      anchor: 'start',
      frame: 'bounds',
      color: text,
      fontSize: 17,
      offset: 14,
      subtitleColor: muted,
      subtitleFontSize: 13,
      subtitlePadding: 6,
    },
    view: { stroke: null },
    axis: {
      labelColor: muted,
      titleColor: muted,
      labelFontSize: 13,
      titleFontSize: 13,
      titleFontWeight: 'normal',
      labelFlush: false,
      gridColor: grid,
      domainColor: grid,
      tickColor: grid,
    },
    text: { color: text, fontSize: 13 },
  };
}
