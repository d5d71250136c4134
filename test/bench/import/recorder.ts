import { closeSync, constants, mkdirSync, openSync, statSync, writeSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { Context } from '../../../src/context.ts';
import type { AppendFile } from '../../../src/disk/append-file.ts';
import { createNodeContext } from '../../../src/node/node-context.ts';
import { run } from '../../../src/run.ts';

/**
 * petstore in a frame: each request tells which process it came from. With a folder in PETSTORE_BENCH_SYNCED it is kept there
 * how much of each journal would survive a power cut; with PETSTORE_BENCH_JOURNAL=none no journal is written at all.
 */
const { PETSTORE_BENCH_SYNCED: folder, PETSTORE_BENCH_JOURNAL: journal } = process.env;

const nothing: AppendFile = {
  read: () => new Uint8Array(),
  cut() {},
  append: async () => {},
  close() {},
};

const context = createNodeContext(new AbortController().signal);
const framed: Context = Object.assign(Object.create(context), {
  send: (request: Parameters<Context['send']>[0]) =>
    context.send({
      ...request,
      headers: { ...request.headers, 'x-sender': String(process.pid) },
    }),
  openAppendFile: open,
});
process.exit(await run(process.argv.slice(2), framed));

function open(path: string): AppendFile {
  if (journal === 'none') return nothing;
  const file = context.openAppendFile(path);
  return folder === undefined ? file : recording(file, path, folder);
}

/** Notes the length after each growth that lasts, before anybody can rely on it. */
function recording(file: AppendFile, path: string, folder: string): AppendFile {
  mkdirSync(folder, { recursive: true });
  // One write of a fixed width cannot be torn by a kill, as truncating and writing could.
  const side = openSync(join(folder, basename(path)), constants.O_WRONLY | constants.O_CREAT);
  const note = () => {
    writeSync(side, String(statSync(path).size).padStart(16), 0);
  };
  return {
    read: file.read,
    cut(length) {
      const grownOver = statSync(path).size !== length;
      file.cut(length);
      if (grownOver) note();
    },
    async append(bytes) {
      await file.append(bytes);
      note();
    },
    close() {
      file.close();
      closeSync(side);
    },
  };
}
