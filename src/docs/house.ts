import { instance } from '@viz-js/viz';
import { cruise } from 'dependency-cruiser';

/** A room is a folder of src, or a file beside them. */
const room = '^src/[^/]+';
/** What all rooms import, and what is no part of the program: arrows that would hide the others. */
const leftOut = '^src/(docs/|(context|errors|events|formats|plans|version)\\.ts$)';

const theme = {
  replace: true,
  graph: { rankdir: 'TB', nodesep: '0.35', ranksep: '0.5', bgcolor: 'white' },
  node: {
    shape: 'box',
    style: 'rounded,filled',
    fillcolor: '#f4efe0',
    fontname: 'Helvetica',
    fontsize: '11',
    height: '0.35',
  },
  edge: { color: '#00000066', arrowsize: '0.6' },
};

/** The rooms of src and which imports which, as SVG: each is drawn below all that import it. */
export async function houseDrawing(): Promise<string> {
  const { output } = await cruise(['src'], {
    includeOnly: { path: '^src/' },
    exclude: { path: leftOut },
    tsPreCompilationDeps: true,
    outputType: 'dot',
    prefix: '../../',
    reporterOptions: { dot: { collapsePattern: room, theme } },
  });
  const graph = String(output);
  return (await instance()).renderString(graph, { format: 'svg' });
}
