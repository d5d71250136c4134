import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { wordsOf } from '../support/line.ts';
import { expect, networkError, test } from '../support/petstore.ts';
import { saveSettings } from '../support/settings-file.ts';

const folderOfLists = join(import.meta.dirname, 'messages');

/** What is said of a request, and what the event says of it; an import has one for each row. */
const outcomes: Readonly<Record<string, string>> = {
  'Nothing was sent.': 'not_sent',
  'Nothing was created.': 'refused|not_sent',
  'It may have been created.': 'unknown',
  'The service accepted the request.': 'done',
  'It may have been carried out.': 'unknown',
};

/**
 * Each line of a list is what is typed, and what it ends with: exit code, kind of error, requests if more than one, and what is
 * said, where `~` is the folder of the line. With --json the event says the same. Before what is typed may stand variables; one
 * with no value is unset. SETTINGS is the settings file, STDIN what is read; STATUS, BODY and FIELDS (`name: value`, one a line) are
 * the response of the service, and ERROR is that of the network. `npx vitest run test/commands/messages.test.ts --update` writes the lists anew.
 */
test.for(readdirSync(folderOfLists))(
  'each line of %s ends as it says',
  async (file, { petstore, sandbox, folder }) => {
    const list = join(folderOfLists, file);
    const lines: string[] = [];
    /** The kind of an error, by how it begins and what became of the request: with these its event is the same. */
    const kinds = new Map<string, string>();
    for (const [typed] of readFileSync(list, 'utf8').matchAll(/^.+?(?=( => .*)?$)/gm)) {
      const home = join(folder, String(lines.length));
      const config = join(home, 'config');
      const { argv, env, stdin, settings, answer } = readLine(typed);
      if (settings) saveSettings(home, settings);
      sandbox.react = answer;
      sandbox.requests.length = 0;
      const run = (argv: readonly string[], state: string) => {
        const folders = { PETSTORE_CONFIG_DIR: config, PETSTORE_STATE_DIR: join(home, state) };
        return petstore(argv, { env: { ...folders, ...env }, stdin });
      };

      const { exitCode, stderr } = await run(argv, 'state');
      const sent = sandbox.requests.length;

      const said = stderr.replaceAll(home, '~').trimEnd().split('\n');
      // Before an error may stand what led to it.
      const first = exitCode > 0 ? said.findLastIndex((text) => text.startsWith('petstore: ')) : 0;
      const error = said.slice(first).map((text) => text.replace(/^petstore: /, ''));
      let end = String(exitCode);
      if (exitCode > 0 && !/OUTPUT|"output"| --json| --output| -\w*o/.test(typed)) {
        const outcome = typed.includes(' import ') ? undefined : outcomes[error[1] ?? ''];
        const start = error[0]?.replaceAll(/"[^"]*"|'[^']*'|\d+/g, '').replace(/: .*/, '');
        const form = `${exitCode} ${start} ${outcome}`;
        if (!kinds.has(form)) {
          const { stderr: json } = await run(['--json', ...argv], 'json');
          const told = json.replaceAll(home, '~').trimEnd().split('\n').at(-1) ?? '';
          expect(told, `--json ${typed}`).toMatch(/^\{"event":/);
          const event = JSON.parse(told);
          const last = error.at(-1) ?? '';
          expect(withoutTimes(event.hint ?? last), typed).toBe(withoutTimes(last));
          if (outcome) expect(event.outcome, typed).toMatch(new RegExp(`^(?:${outcome})$`));
          kinds.set(form, event.kind);
        }
        end += ` ${kinds.get(form)}${sent > 1 ? `, ${sent} requests` : ''}`;
      }
      if (exitCode === 2 && /Nothing was|not_sent/.test(stderr)) expect(sent, typed).toBe(0);
      const isWritten = settings !== undefined || /\bsaved\b/.test(stderr);
      expect(existsSync(config), typed).toBe(isWritten);
      lines.push(`${typed} => ${end}: ${error.join(' | ')}\n`);
    }

    await expect(lines.join('')).toMatchFileSnapshot(list);
  },
);

function readLine(line: string) {
  const [, before = '', words = ''] = /^(.*?)petstore(?= |$)(.*)$/.exec(line) ?? [];
  const given = [...before.matchAll(/([A-Z_]+)=('[^']*'|\S*)/g)].map(
    ([, name = '', value = '']) => [name, value ? unquote(value) : undefined] as const,
  );
  const {
    SETTINGS,
    STDIN,
    STATUS,
    BODY = '',
    FIELDS = '',
    ERROR,
    ...env
  } = Object.fromEntries(given);
  const headers = {
    'content-type': BODY.startsWith('<') ? 'text/html' : 'application/json',
    ...(STATUS === '429' && { 'retry-after': '600' }),
    ...Object.fromEntries([...FIELDS.matchAll(/(\S+): ?(.*)/g)].map(([, ...field]) => field)),
  };
  const answer = () => {
    if (ERROR) return networkError(ERROR);
    return STATUS ? new Response(BODY || null, { status: Number(STATUS), headers }) : undefined;
  };
  const argv = wordsOf(words).map(unquote);
  return { argv, env, stdin: STDIN ?? '', settings: SETTINGS, answer };
}

/** Returns a word without its quotes, with the characters that \n and \u0007 stand for. */
function unquote(word: string): string {
  const text = word.replace(/^'|'$/g, '');
  return text.replace(/\\(n|u[\da-f]{4})/g, (code) => JSON.parse(`"${code}"`));
}

/** Two runs of a line come one after the other. */
const withoutTimes = (text: string) => text.replaceAll(/\d+/g, '#');
