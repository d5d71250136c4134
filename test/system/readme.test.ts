import { readFileSync } from 'node:fs';
import { describe } from 'vitest';
import { expect, pathWithPetstore, test } from '../support/program.ts';

/** The session of the README is what the program prints, but for the time of day. */
describe('the README', () => {
  test('shows a session as it happens', async ({ folder, execute }) => {
    const PATH = pathWithPetstore(folder);

    const steps = readSession();
    for (const { command, output } of steps) {
      const { stdout } = await execute('sh', ['-c', `{ ${command}; } 2>&1`], { env: { PATH } });
      expect(withoutTimes(stdout)).toBe(withoutTimes(output));
    }
    expect(steps).toHaveLength(9);
  });
});

function readSession(): { command: string; output: string }[] {
  const sessions = readFileSync('README.md', 'utf8').matchAll(/```console\n(.*?)```/gs);
  return [...sessions]
    .map(([, session]) => session)
    .join('')
    .split(/^\$ /m)
    .slice(1)
    .map((step) => {
      const end = step.indexOf('\n');
      return { command: step.slice(0, end), output: step.slice(end + 1) };
    });
}

function withoutTimes(text: string): string {
  return text.replace(/resets in .*\)/g, 'resets').replace(/\d{4}-\d\d-\d\dT[\d:]+Z/g, 'TIME');
}
