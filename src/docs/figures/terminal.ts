/** Characters beside each other that look the same. */
export type Run = {
  /** The cell it begins in. */
  readonly column: number;
  readonly cells: number;
  readonly text: string;
  /** One of the eight colours of a terminal; undefined is that of all text. */
  readonly color: number | undefined;
  readonly bold: boolean;
  readonly dim: boolean;
};

/** A line of the screen. */
export type Row = readonly Run[];

/** What is drawn below each other: what one saw from then on, and a word of ours about it. */
export type Frame = { readonly caption: string; readonly rows: readonly Row[] };

const [cell, line, margin, head] = [9, 20, 22, 36];
const text = '#e6edf3';
const muted = '#9198a1';
/** Black to white, as a terminal numbers them. */
const colors = ['#6e7681', '#ff7b72', '#3fb950', '#d29922', '#58a6ff', '#bc8cff', '#39c5cf', text];

/** A terminal of that many columns with what happened in it from top to bottom, as SVG: dark on any page, as terminals are. */
export function terminalDrawing(title: string, frames: readonly Frame[], columns: number): string {
  const width = columns * cell + 2 * margin;
  let y = head;
  const parts = frames.flatMap(({ caption, rows }) => {
    y += line + 18;
    const drawn = [
      `<line x1="${margin}" x2="${width - margin}" y1="${y - 27}" y2="${y - 27}" stroke="#30363d"/>`,
      `<text class="caption" x="${margin}" y="${y}">${escaped(caption)}</text>`,
    ];
    y += 4;
    for (const row of rows) {
      y += line;
      drawn.push(...row.filter(({ text }) => text.trim() !== '').map((run) => runDrawing(run, y)));
    }
    return drawn;
  });
  const height = y + margin;
  return `${[
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img">`,
    `<title>${escaped(title)}</title>`,
    '<style>',
    `text { font: 15px ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace; fill: ${text}; white-space: pre }`,
    `.caption { font: 14px Helvetica, Arial, sans-serif; fill: ${muted} }`,
    '.bold { font-weight: bold }',
    '.dim { opacity: 0.7 }',
    ...colors.map((color, n) => `.c${n} { fill: ${color} }`),
    '</style>',
    `<rect width="${width}" height="${height}" rx="10" fill="#0d1117" stroke="#30363d"/>`,
    ...['#ff5f57', '#febc2e', '#28c840'].map(
      (color, n) => `<circle cx="${margin + 6 + n * 20}" cy="20" r="6" fill="${color}"/>`,
    ),
    ...parts,
    '</svg>',
  ].join('\n')}\n`;
}

/** Stretched to its cells, whatever font there is. */
function runDrawing({ column, cells, text, color, bold, dim }: Run, y: number): string {
  const looks = [color !== undefined && `c${color}`, bold && 'bold', dim && 'dim'].filter(Boolean);
  const style = looks.length > 0 ? ` class="${looks.join(' ')}"` : '';
  const place = `x="${margin + column * cell}" y="${y}" textLength="${cells * cell}"`;
  return `<text${style} ${place} lengthAdjust="spacingAndGlyphs" xml:space="preserve">${escaped(text)}</text>`;
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
