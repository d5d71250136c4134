import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, networkError, reply, test } from '../support/petstore.ts';

const list = join(import.meta.dirname, 'messages.txt');
const typed =
  readFileSync(list, 'utf8')
    .match(/^.*?(?=( => .*)?$)/gm)
    ?.filter(Boolean) ?? [];

/**
 * Each line of the list is what is typed, and what it ends with: exit code, and the lines of the error. Before it may stand
 * variables (an empty one is unset) and the statuses that the service answers with. With --json the event says the same.
 */
test('each message is that of the list, and says what was typed and what to do', async ({
  petstore,
  sandbox,
  folder,
}) => {
  const lines: string[] = [];
  for (const line of typed) {
    const [, before = '', words = ''] = /^(.*?)petstore(.*)$/.exec(line) ?? [];
    const entries = [...before.matchAll(/([A-Z_]+)=(\S*)/g)].map(([, name, value]) => [
      name,
      value,
    ]);
    const env = Object.fromEntries(entries.map(([name, value]) => [name, value || undefined]));
    const statuses = [...before.matchAll(/\[(\d+)\]/g)].map(([, status]) => Number(status));
    const argv = (words.match(/'[^']*'|\S+/g) ?? []).map((word) => word.replace(/^'|'$/g, ''));
    const [status] = statuses;
    const later = { 'retry-after': '600' };
    const ban = { code: 'banned', message: 'banned for hammering', status: 429 };
    const body = before.includes('[429]ban') ? ban : '';
    sandbox.react = () =>
      status
        ? reply(status, body, status === 429 ? later : {})
        : before.includes('[cut]')
          ? networkError('ECONNRESET')
          : undefined;
    const sent = sandbox.requests.length;
    const PETSTORE_STATE_DIR = join(folder, String(lines.length));

    const { exitCode, stderr } = await petstore(argv, { env: { PETSTORE_STATE_DIR, ...env } });

    const said = stderr.trimEnd().split('\n');
    const first = said.findLastIndex((text) => text.startsWith('petstore: '));
    const error = said.slice(first).map((text) => text.replace(/^petstore: /, ''));
    expect(error.length, stderr).toBeLessThanOrEqual(3);
    if (exitCode > 0 && !/PETSTORE_OUTPUT| -o /.test(line)) {
      const again = { PETSTORE_STATE_DIR: `${PETSTORE_STATE_DIR}-json`, ...env };
      const { stderr: json } = await petstore(['--json', ...argv], { env: again });
      const event = JSON.parse(json.trimEnd().split('\n').at(-1) ?? '');
      expect(event, line).toMatchObject({ event: 'error', exitCode });
      const last = error.at(-1) ?? '';
      expect(withoutTimes(last), line).toBe(withoutTimes(event.hint ?? last));
      expect(error.length, line).toBeLessThanOrEqual(event.hint === undefined ? 2 : 3);
      if (error.includes('Nothing was sent.')) expect(event.outcome, line).toBe('not_sent');
    }
    if (exitCode === 2) expect(sandbox.requests, line).toHaveLength(sent);
    lines.push(`${line} => ${exitCode}: ${error.join(' | ')}\n`);
  }

  await expect(lines.join('')).toMatchFileSnapshot(list);
});

/** Two runs of a line come one after the other. */
const withoutTimes = (text: string) => text.replaceAll(/\d+/g, '#');
