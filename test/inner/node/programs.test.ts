import { tmpdir } from 'node:os';
import { describe, expect, test } from 'vitest';
import { capture, exitCode } from '../../../src/node/programs.ts';

test.for([
  ['of itself', 3, null, 3],
  ['of SIGTERM', null, 'SIGTERM', 143],
  ['of Ctrl-C', null, 'SIGINT', 130],
  ['of Ctrl-C on Windows', 3_221_225_786, null, 130],
] as const)(
  'the exit code of a program that ended because %s is the one that a shell has',
  ([, code, signal, shown]) => {
    expect(exitCode(code, signal)).toBe(shown);
  },
);

describe('a key command on Windows', () => {
  const taskkill = 'D:\\Windows\\System32\\taskkill.exe';

  test.for([
    ['and all that it started by taskkill', 0, []],
    ['alone where taskkill fails', 128, ['SIGKILL']],
    ['alone where taskkill cannot start', null, ['SIGKILL']],
  ] as const)('is killed %s', async ([, status, killed]) => {
    const calls: unknown[] = [];
    const signals: string[] = [];
    const end = new AbortController();
    const captured = capture(
      'sleep 60',
      { env: {}, folder: tmpdir(), terminal: false, limit: 100, signal: end.signal },
      {
        platform: 'win32',
        env: { SystemRoot: 'D:\\Windows' },
        kill: (_pid, signal) => signals.push(signal),
      },
      (file, args, options) => {
        calls.push([file, args, options]);
        process.kill(Number(args.at(-1)), 'SIGKILL');
        return { status };
      },
    );

    end.abort(new Error('timed out'));

    await expect(captured).rejects.toThrow('timed out');
    expect(calls).toEqual([
      [
        taskkill,
        ['/T', '/F', '/PID', expect.stringMatching(/^\d+$/)],
        { stdio: 'ignore', windowsHide: true, timeout: 5_000 },
      ],
    ]);
    expect(signals).toEqual(killed);
  });
});
