import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { launcher, test } from '../support/program.ts';

test('a power cut takes neither the turn from before a create, nor the ledger from after it', {
  tags: ['strace'],
}, async ({ serve, execute, folder, expect }) => {
  const service = await serve();
  const log = join(folder, 'calls');
  const calls = 'trace=fsync,fdatasync,write,writev,sendto,sendmsg';
  const argv = [process.execPath, launcher, 'categories', 'create', 'rabbit', '--if-missing'];

  const { code } = await execute('strace', ['-f', '-y', '-s999', '-e', calls, '-o', log, ...argv], {
    env: service.env,
  });

  expect(code).toBe(0);
  const lines = readFileSync(log, 'utf8').split('\n');
  const saidAt = lines.findIndex((line) => line.includes('unsettledAt'));
  const sentAt = lines.findIndex((line) => line.includes('"POST '));
  const synced = lines.slice(saidAt, sentAt).filter((line) => /fsync|fdatasync/.test(line));
  expect(saidAt).toBeGreaterThan(0);
  expect(synced.join('\n')).toMatch(/turns\/.*next/);
  expect(synced.join('\n')).toMatch(/turns\/[0-9a-f]{32}>/);
  const after = lines.slice(sentAt).filter((line) => /fsync|fdatasync/.test(line));
  expect(after.join('\n')).toMatch(/ledger\/\S+\.\d+>.*ledger>.*turns\/.*next/s);
});
