import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path/posix';
import { exitCodes as meanings } from '../../src/commands/topics.ts';
import { exitCodes, Failure, type Outcome } from '../../src/errors.ts';
import { failureEvent } from '../../src/output/event-text.ts';
import {
  filesOf,
  pages,
  quotedIn,
  readPage,
  rowsOf,
  sectionOf,
  sectionsOf,
} from '../support/pages.ts';
import { expect, reply, test } from '../support/petstore.ts';
import { listCommands } from '../support/tree.ts';
import { contentFields, formats } from '../support/values.ts';

const { verbs, topics } = await listCommands();
const scripting = readPage('scripting.md');
const troubleshooting = readPage('troubleshooting.md');
const sources = filesOf('src').filter((path) => path.endsWith('.ts'));

test('docs/commands.md has the help page of each command and topic', async ({ petstore }) => {
  const sections = [
    '# Commands',
    'The pages of `petstore help`, 80 columns wide (`npm run docs`).\nHow they are used: [scripting](scripting.md).',
  ];
  for (const words of [...topics, ...verbs.map((verb) => verb.words)]) {
    const { stdout } = await petstore(`help ${words}`);
    const title = topics.includes(words) ? `petstore help ${words}` : `petstore ${words}`;
    sections.push(`## ${title}`, `\`\`\`text\n${stdout.trimEnd()}\n\`\`\``);
  }

  await expect(`${sections.join('\n\n')}\n`).toMatchFileSnapshot('../../docs/commands.md');
});

test('docs/scripting.md explains each exit code in the words of help', async ({ petstore }) => {
  const { stdout } = await petstore('help exit-codes', { columns: 100 });
  const explained = [...stdout.matchAll(/^ {2}(\d+) +((?:.|\n {4})+)/gm)].map(
    ([, code, meaning = '']) => [code, meaning.replace(/\s+/g, ' ')],
  );
  const rows = rowsOf(sectionOf(scripting, 'Exit codes'));

  expect(explained.map(([code]) => code)).toEqual(meanings.map(([code]) => code));
  expect(rows.map(([code, meaning]) => [code, meaning])).toEqual(explained);
  for (const [kind, exitCode] of Object.entries(exitCodes)) {
    const link = rows.find(([code]) => code === String(exitCode))?.[2];
    expect(link).toContain(`[${kind}](troubleshooting.md#${kind})`);
    expect(sectionOf(troubleshooting, kind).trim()).toMatch(new RegExp(`^Exit ${exitCode}\\b`));
  }
});

test('docs/scripting.md has a row for each event, field and reason, and no other', () => {
  const section = sectionOf(scripting, 'Events');
  // Only the text of an event uses these, and the wait for a response is only shown on a terminal.
  const textOnly = ['event', 'why', 'next', 'by', 'over', 'isWarning', 'lines', 'response'];
  const events = readFileSync('src/events.ts', 'utf8').matchAll(/'(\w+)'|readonly (\w+)\??:/g);
  const outcomes: Outcome[] = ['not_sent', 'refused', 'created', 'done', 'unknown'];
  const ofErrors = Object.keys(failureEvent(new Failure('usage', '')));
  const names = [...events].map(([, word, field]) => word ?? field ?? '');
  const known = [...names.filter((name) => !textOnly.includes(name)), ...ofErrors];
  const rows = rowsOf(section).flatMap(([event = '', field = '']) => quotedIn(event + field));

  expect(known).toContain('claimed');
  expect(quotedIn(section)).toEqual(expect.arrayContaining([...known, ...outcomes]));
  expect([...known, 'error', 'request', 'response']).toEqual(expect.arrayContaining(rows));
});

test('docs/scripting.md lists what --verbose adds to a notice', async ({ petstore, sandbox }) => {
  sandbox.react = () => reply(400, {});
  const { events } = await petstore('categories create ferret -v --json');
  const fields = events().flatMap(({ request, response }) => request ?? response ?? []);

  const rows = rowsOf(sectionOf(scripting, 'Events')).filter(([, field = '']) =>
    /^`(request|response)`/.test(field),
  );
  const named = rows.map(([, , meaning = '']) => quotedIn(meaning).slice(1).sort());
  expect(named).toEqual(fields.map((object) => Object.keys(object).sort()));
});

test('docs/scripting.md and docs/import.md list the fields of a category', async ({ petstore }) => {
  const rows = rowsOf(sectionOf(scripting, 'Result fields'));
  for (const [command, listed] of [
    ['categories list', '`categories`'],
    ['categories diff', '`categories diff`, `import --dry-run`'],
  ] as const) {
    const { stderr } = await petstore(`${command.replace('diff', 'diff -')} --columns none`);
    const [, columns = ''] = /Write names of these: (.*)\./.exec(stderr) ?? [];
    const [, fields = ''] = rows.find(([command]) => command === listed) ?? [];
    expect.soft(quotedIn(fields), command).toEqual(columns.split(', '));
  }
  const [, file = ''] = /- The fields are (.*)\. An/.exec(readPage('import.md')) ?? [];
  expect(quotedIn(file)).toEqual([...contentFields]);
});

test('docs/scripting.md has a row for each format', () => {
  const rows = rowsOf(sectionOf(scripting, 'Formats'));

  expect(rows.flatMap(([format = '']) => quotedIn(format))).toEqual([...formats]);
});

test('docs/setup.md names each variable and each setting', async ({ petstore }) => {
  const { stdout: environment } = await petstore('help environment');
  const { stdout: help } = await petstore('config set --help');
  const [, settings = ''] = help.split('\nSettings:\n');
  const variables = environment.match(/PETSTORE_\w+/g) ?? [];
  const names = settings.match(/(?<=^ {2})[a-z]+(-[a-z]+)*(?= {2,})/gm) ?? [];

  expect(variables).toContain('PETSTORE_STATE_DIR');
  expect(names).toContain('shared-store');
  const page = readPage('setup.md');
  expect([...variables, ...names].filter((name) => !page.includes(`\`${name}\``))).toEqual([]);
});

test('docs/troubleshooting.md has a section for each kind of error, and quotes what is said', () => {
  const sections = sectionsOf(troubleshooting);
  const said = [...sources, 'node_modules/commander/lib/command.js']
    .map((path) => readFileSync(path, 'utf8'))
    .join('\n');
  const quotes = sections
    .flatMap(({ text }) => rowsOf(text).flatMap(([message = '']) => quotedIn(message)))
    .flatMap((message) => message.split('…').map((part) => part.trim()))
    .filter((part) => /[a-z]{3}/.test(part));

  const titles = sections.map(({ title }) => title).sort();
  expect(titles).toEqual([...Object.keys(exitCodes), 'Questions'].sort());
  expect(quotes.length).toBeGreaterThan(30);
  expect(quotes.filter((part) => !said.includes(part))).toEqual([]);
});

test.for(pages.filter((page) => /^(CONTRIB|SECUR|docs\/(guarantees|internals))/.test(page)))(
  '%s names only files and folders that exist',
  (page) => {
    const files = [...sources, ...filesOf('test')];
    /** Placeholders, and what the build and the program make. */
    const made = /ROOM|GROUP|VERB|^dist\/|^names\/$/;
    const ignored = readFileSync('.gitignore', 'utf8').split('\n');
    const cited = readFileSync(page, 'utf8').matchAll(
      /`((?!\/)[\w./-]*(?:\/[\w.-]*|\.(?:[cm]?[jt]s|json)))`/g,
    );

    const missing = [...cited]
      .map(([, path = '']) => path.replace(/\/$/, ''))
      .filter((path) => !made.test(`${path}/`))
      .filter((path) => ignored.includes(path.replace(/(?:\/.*)?$/, '/')) || !existsSync(path))
      .filter(
        (path) => !files.some((file) => file.includes(`/${path}/`) || file.endsWith(`/${path}`)),
      );
    expect(missing).toEqual([]);
  },
);

test.for(pages)('every relative link, anchor and image of %s exists', (page) => {
  const markdown = readFileSync(page, 'utf8').replace(/^ *```[\s\S]*?^ *```|`[^`\n]+`/gm, '');
  const targets = /\]\(([^)\s]+)\)|^\[[^\]]+\]: +(\S+)|\s(?:href|src|srcset)="([^"]+)"/gm;

  const broken = [...markdown.matchAll(targets)]
    .map(([, link, definition, source]) => link ?? definition ?? source ?? '')
    .filter((target) => !/^([a-z][\w+.-]*:|\/)/i.test(target) && !exists(page, target));
  expect(broken).toEqual([]);
});

/** Returns true for a file below this folder and, if an anchor is named, a heading of which GitHub makes it. */
function exists(page: string, target: string): boolean {
  const [path = '', anchor] = target.split('#', 2).map(decodeURIComponent);
  const file = path === '' ? page : join(dirname(page), path);
  if (file.startsWith('..') || !existsSync(file)) return false;
  if (anchor === undefined) return true;
  const text = readFileSync(file, 'utf8').replace(/^```[\s\S]*?^```/gm, '');
  const anchors = [...text.matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(' ', '-'),
  );
  return anchors.includes(anchor);
}
