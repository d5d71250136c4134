import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, networkError, test } from '../support/petstore.ts';
import { saveSettings } from '../support/settings-file.ts';

const folderOfLists = join(import.meta.dirname, 'messages');

/**
 * Each line of a list is what is typed, and what it ends with: exit code, kind of error, requests if more than one, and what
 * is said. Before it may stand variables; an empty one is unset. SETTINGS is the settings file; STATUS, BODY and LOCATION are the
 * response, ERROR that of the network. `~` is the folder of the line. With --json the event says the same. `--update` writes the lists anew.
 */
test.for(readdirSync(folderOfLists))(
  'each line of %s ends as it says',
  async (file, { petstore, sandbox, folder }) => {
    const list = join(folderOfLists, file);
    const lines: string[] = [];
    for (const [typed] of readFileSync(list, 'utf8').matchAll(/^.+?(?=( => .*)?$)/gm)) {
      const home = join(folder, String(lines.length));
      const { argv, env, settings, answer } = readLine(typed);
      if (settings) saveSettings(home, settings);
      sandbox.react = answer;
      const sent = sandbox.requests.length;
      const run = (argv: readonly string[], state: string) =>
        petstore(argv, {
          env: {
            PETSTORE_CONFIG_DIR: join(home, 'config'),
            PETSTORE_STATE_DIR: join(home, state),
            ...env,
          },
        });

      const { exitCode, stderr } = await run(argv, 'state');

      const said = stderr.replaceAll(home, '~').trimEnd().split('\n');
      // Before an error may stand what led to it.
      const first = exitCode > 0 ? said.findLastIndex((text) => text.startsWith('petstore: ')) : 0;
      const error = said.slice(first).map((text) => text.replace(/^petstore: /, ''));
      expect(error.length, stderr).toBeLessThanOrEqual(3);
      const requests = sandbox.requests.length - sent;
      let kind = '';
      if (exitCode > 0 && !/PETSTORE_OUTPUT| -o |"output"/.test(typed)) {
        const { stderr: json } = await run(['--json', ...argv], 'json');
        const event = JSON.parse(json.replaceAll(home, '~').trimEnd().split('\n').at(-1) ?? '');
        expect(event, typed).toMatchObject({ event: 'error', exitCode });
        kind = ` ${event.kind}${requests > 1 ? `, ${requests} requests` : ''}`;
        const last = error.at(-1) ?? '';
        expect(withoutTimes(last), typed).toBe(withoutTimes(event.hint ?? last));
        expect(error.length, typed).toBeLessThanOrEqual(event.hint === undefined ? 2 : 3);
        if (error.includes('Nothing was sent.')) expect(event.outcome, typed).toBe('not_sent');
      }
      if (exitCode === 2) expect(requests, typed).toBe(0);
      const isWritten = settings !== undefined || /\bsaved\b/.test(stderr);
      expect(existsSync(join(home, 'config')), typed).toBe(isWritten);
      lines.push(`${typed} => ${exitCode}${kind}: ${error.join(' | ')}\n`);
    }

    await expect(lines.join('')).toMatchFileSnapshot(list);
  },
);

function readLine(line: string) {
  const [, before = '', words = ''] = /^(.*?)petstore(?= |$)(.*)$/.exec(line) ?? [];
  const variables = [...before.matchAll(/([A-Z_]+)=('[^']*'|\S*)/g)].map(
    ([, name = '', value = '']) => [name, unquote(value) || undefined] as const,
  );
  const {
    SETTINGS: settings,
    STATUS,
    BODY = '',
    LOCATION,
    ERROR,
    ...env
  } = Object.fromEntries(variables);
  const headers = {
    'content-type': BODY.startsWith('<') ? 'text/html' : 'application/json',
    ...(STATUS === '429' && { 'retry-after': '600' }),
    ...(LOCATION && { location: LOCATION }),
  };
  const answer = () => {
    if (ERROR) return networkError(ERROR);
    return STATUS ? new Response(BODY || null, { status: Number(STATUS), headers }) : undefined;
  };
  return { argv: (words.match(/'[^']*'|\S+/g) ?? []).map(unquote), env, settings, answer };
}

/** Returns a word without its quotes, with the characters that \n and \u0007 stand for. */
function unquote(word: string): string {
  const text = word.replace(/^'|'$/g, '');
  return text.replace(/\\(n|u[\da-f]{4})/g, (code) => JSON.parse(`"${code}"`));
}

/** Two runs of a line come one after the other. */
const withoutTimes = (text: string) => text.replaceAll(/\d+/g, '#');
