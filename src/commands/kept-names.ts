import type { Known } from '../disk/inventory.ts';
import { profileOfKey } from '../settings/keys.ts';

/**
 * What petstore keeps on a machine: `place` is one of the folders that all is in, `run` that of a `petstore sandbox -- COMMAND`,
 * `copy` that of a `petstore config edit`.
 */
export type Kind =
  | 'place'
  | 'folder'
  | 'settings'
  | 'key'
  | 'lock'
  | 'claim'
  | 'log'
  | 'salt'
  | 'journal'
  | 'archive'
  | 'names'
  | 'sandbox'
  | 'dates'
  | 'completion'
  | 'copy'
  | 'compiled'
  | 'run';

const lock = (name: RegExp): Known<Kind> => ({
  name,
  kind: 'lock',
  what: () => 'lock',
  isFolder: true,
});
const file = (name: RegExp, kind: Kind, what: string): Known<Kind> => ({
  name,
  kind,
  what: () => what,
});
const folder = (name: RegExp, what: string, inside: readonly Known<Kind>[]): Known<Kind> => ({
  name,
  kind: 'folder',
  what: () => what,
  inside,
});
/** What `petstore doctor` writes to try a folder. */
const trial: Known<Kind> = { ...file(/^doctor$/, 'folder', ''), isBrief: true };

/** In the state folder, and in the one that takes its place. */
export const limits = folder(/^limits$/, 'rate limits', [
  file(/^salt(\.\d+)?$/, 'salt', 'salt of rate limits'),
  file(/^[0-9a-f]{16}\.\d{1,15}\.log$/, 'log', 'rate limit of an API key'),
  trial,
]);

export const inSettings: readonly Known<Kind>[] = [
  file(/^settings\.json$/, 'settings', 'settings'),
  lock(/^(?:settings\.json|keys)\.lock$/),
  {
    name: /^edit-[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/,
    kind: 'copy',
    what: () => 'copy of petstore config edit',
    isFolder: true,
  },
  folder(/^keys$/, 'API keys', [
    {
      name: /^(.+)\.json$/,
      kind: 'key',
      what: (name) => `API key of profile ${profileOfKey(name)}`,
    },
  ]),
];

export const inState: readonly Known<Kind>[] = [
  limits,
  folder(/^imports$/, 'journals of imports', [
    file(/^[0-9a-f]{16}\.journal$/, 'journal', 'journal of an import'),
    file(/^[0-9a-f]{16}\.(?:finished|expiring)$/, 'archive', 'journal of a finished import'),
    { ...lock(/^[0-9a-f]{16}\.claim$/), kind: 'claim', what: () => 'lock of an import' },
    trial,
  ]),
  folder(/^names$/, 'names in use', [
    file(/^[0-9a-f]{16}\.[0-9a-f-]{36}(?:\.held)?$/, 'names', 'names in use by a process'),
    lock(/^[0-9a-f]{16}\.lock$/),
  ]),
  folder(/^sandbox$/, 'sandbox', [file(/^requests\.log$/, 'sandbox', 'data of the sandbox')]),
  folder(/^compiled$/, 'compiled code of petstore', [
    folder(/^\d+\.\d+\.\d+/, 'compiled code of a version', [
      folder(/^v\d+\.\d+\.\d+-/, 'compiled code for a Node', [
        file(/^[\w-]+\.code$/, 'compiled', 'compiled code'),
      ]),
    ]),
  ]),
  folder(/^deprecations$/, 'deprecated operations', [
    file(/^sunsets\.json$/, 'dates', 'dates of deprecated operations'),
    lock(/^sunsets\.json\.lock$/),
  ]),
  trial,
];
