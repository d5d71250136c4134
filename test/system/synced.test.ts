import { appendFileSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, launcher, test } from '../support/program.ts';

/** Says of each file whether its bytes were synced before it was linked to its name. */
const recorder = `
const fs = require('node:fs');
const { openSync, fsyncSync, linkSync } = fs;
const opened = new Map();
const synced = new Set();
fs.openSync = (path, ...rest) => {
  const file = openSync(path, ...rest);
  opened.set(file, path);
  return file;
};
fs.fsyncSync = (file) => {
  fsyncSync(file);
  synced.add(opened.get(file));
};
fs.linkSync = (from, to) => {
  linkSync(from, to);
  fs.appendFileSync(process.env.RECORD, JSON.stringify([to, synced.has(from)]) + '\\n');
};
`;

test('what a file of the limit log begins with, and its salt, would survive a power cut before it has its name', async ({
  execute,
  folder,
}) => {
  const preload = join(folder, 'recorder.cjs');
  const record = join(folder, 'record');
  writeFileSync(preload, recorder);
  const run = () =>
    execute(
      process.execPath,
      ['--require', preload, launcher, 'categories', 'list', '--profile', 'sandbox'],
      { env: { RECORD: record } },
    );
  const links = () =>
    readFileSync(record, 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
  const limits = join(folder, '.local', 'state', 'petstore', 'limits');

  await run();
  const first = links();
  const [log = ''] = readdirSync(limits).filter((name) => name.endsWith('.1.log'));
  appendFileSync(join(limits, log), `\n${'x'.repeat(270_000)}\n`);
  rmSync(record);
  await run();

  expect(first).toContainEqual([join(limits, 'salt'), true]);
  expect(links()).toEqual([[join(limits, log.replace('.1.', '.2.')), true]]);
});
