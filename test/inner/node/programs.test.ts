import { tmpdir } from 'node:os';
import { capture } from '../../../src/node/programs.ts';
import { expect, test } from '../../support/petstore.ts';

test('an interruption kills no process that has got the id of an ended program', async () => {
  const run = new AbortController();
  const killed: number[] = [];
  const kill = (pid: number): true => {
    killed.push(pid);
    return true;
  };
  const options = { env: process.env, folder: tmpdir(), terminal: false, limit: 100 };

  const { stdout } = await capture(
    'echo key',
    { ...options, signal: run.signal },
    { platform: 'linux', kill },
  );
  run.abort();

  expect(stdout.trim()).toBe('key');
  expect(killed).toEqual([]);
});
