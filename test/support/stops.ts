import type { Output } from './values.ts';

/** Output that records what is written, and a signal as of Ctrl-C once a sandbox has said its key. */
export function stopsWhenWritten() {
  const stop = new AbortController();
  let written = '';
  const stdout: Output = {
    isTTY: false,
    columns: undefined,
    stream: undefined,
    write: async (text) => {
      written += text;
      if (written.includes('sandbox-')) stop.abort();
    },
  };
  return { signal: stop.signal, stdout, text: () => written };
}
