import { describe } from 'vitest';
import { expect, launcher, test } from '../support/program.ts';

const bold = (page: string) => page.replace(/^\S.*:$(?=\n {2})/gm, '\u001b[1m$&\u001b[22m');

/** What is typed on a terminal of so many columns, and how the page of `help` must look there. */
const rows = [
  ['', 80, {}, bold],
  ['--help', 200, {}, bold],
  ['--help', 50, {}, bold],
  ['--help', 80, { NO_COLOR: '1' }, String],
] as const;

describe('the first page is the one of petstore help', () => {
  test('in a pipe', async ({ petstore }) => {
    const page = async (word: string, env: Readonly<Record<string, string>>) =>
      (await petstore([word], { env })).stdout;
    const plain = await page('help', {});
    const narrow = await page('help', { COLUMNS: '50' });

    expect(await page('--help', {})).toBe(plain);
    expect(await page('--help', { COLUMNS: '50' })).toBe(narrow);
    expect(await page('--help', { FORCE_COLOR: '1' })).toBe(bold(plain));
    expect(bold(plain)).not.toBe(plain);
    expect(narrow).not.toBe(plain);
  });

  test('on a terminal', { tags: ['script'] }, async ({ petstore, execute }) => {
    const { stdout: plain } = await petstore(['help']);
    const { stdout: narrow } = await petstore(['help'], { env: { COLUMNS: '50' } });

    for (const [word, columns, env, style] of rows) {
      const command = `stty cols ${columns}; '${process.execPath}' '${launcher}' ${word}`;
      const options = { env: { TERM: 'xterm', ...env } };
      const { stdout } = await execute('script', ['-qec', command, '/dev/null'], options);

      const page = columns === 50 ? narrow : plain;
      expect(stdout.replaceAll('\r\n', '\n'), `${word} ${columns}`).toBe(style(page));
    }
  });
});
