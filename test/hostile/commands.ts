import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Meaning } from './fault.ts';

type Command = {
  readonly argv: readonly string[];
  /** Only what it creates meets the fault. */
  readonly listsWell?: true;
  readonly writes?: true;
  readonly json?: true;
};

/**
 * Every command that asks the service something: `rows` is an import of which only the creates meet the fault, and `api` a write
 * of which the document shows nothing. The file of an import has two rows.
 */
const table = {
  list: { argv: ['categories', 'list'] },
  get: { argv: ['categories', 'get', '1', '--json'], json: true },
  diff: { argv: ['categories', 'diff', 'there.ndjson', '--json'], json: true },
  create: { argv: ['categories', 'create', 'rabbit', '--json'], writes: true, json: true },
  import: { argv: ['categories', 'import', 'rows.ndjson', '--yes', '--settle', '1s'] },
  rows: {
    argv: ['categories', 'import', 'rows.ndjson', '--yes', '--settle', '1s', '--json'],
    listsWell: true,
    writes: true,
    json: true,
  },
  pet: { argv: ['pets', 'get', '1', '--json'], json: true },
  orders: { argv: ['orders', 'list', '-o', 'ndjson'], json: true },
  limits: { argv: ['limits', '--refresh'] },
  api: {
    argv: ['api', 'POST', '/categories', '--data', '{"name":"rabbit"}', '--json'],
    writes: true,
    json: true,
  },
} as const satisfies Readonly<Record<string, Command>>;

export type CommandName = keyof typeof table;
export const commands: Readonly<Record<CommandName, Command>> = table;
export const commandNames = Object.keys(table) as CommandName[];

/** What a good service answers to the last step of a path; a dog to any other. */
export const goodBodies: Readonly<Record<string, string>> = {
  orders: '[{"id":1,"petId":1}]',
};

/** All but `petstore api`, to which any JSON and any 2xx is a good answer. */
export const strict = commandNames.filter((name) => name !== 'api');

/** Those whose fault is met by a create or another write, and the rest. */
export const writing = commandNames.filter((name) => commands[name].writes);
export const reading = commandNames.filter((name) => !commands[name].writes);

/** The files that they read: rows to create, and one that is there already. */
export function writeInputs(folder: string): void {
  const rows = '{"name":"parrot"}\n{"name":"ferret","description":"Steals socks"}\n';
  writeFileSync(join(folder, 'rows.ndjson'), rows);
  writeFileSync(join(folder, 'there.ndjson'), '{"name":"dog"}\n');
}

type End = { readonly exitCode: number; readonly outcome?: string };

type Ends = {
  readonly read: End;
  /** Of a create, and of any write. */
  readonly create: End;
  /** Of an import whose rows meet the fault. */
  readonly rows: End;
  /** How often a read is sent. */
  readonly tries: number;
};

const unknown = { exitCode: 6, outcome: 'unknown' };
const unanswered: Ends = {
  read: { exitCode: 5 },
  create: unknown,
  // Looked up, found missing, sent again, until three in a row are too many.
  rows: { exitCode: 7 },
  tries: 4,
};
const said = (exitCode: number, rows: number): Ends => ({
  read: { exitCode },
  create: { exitCode, outcome: 'refused' },
  rows: { exitCode: rows },
  tries: 1,
});

/** How commands end, by what a fault means. */
export const endings: Readonly<Record<Meaning, Ends>> = {
  broken: unanswered,
  failed: unanswered,
  slow: { ...unanswered, tries: 1 },
  wrong: { ...unanswered, tries: 1 },
  unread: {
    read: { exitCode: 5 },
    create: { exitCode: 5, outcome: 'not_sent' },
    rows: { exitCode: 7 },
    tries: 1,
  },
  moved: said(5, 7),
  refused: said(3, 7),
  forbidden: said(4, 7),
  limited: said(75, 75),
  fine: { read: { exitCode: 0 }, create: { exitCode: 0 }, rows: { exitCode: 0 }, tries: 1 },
};
