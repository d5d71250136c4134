import type { Command } from 'commander';
import type { App } from '../session/app.ts';

type Define = (command: Command, app: App) => void;
type Verb = { readonly define: Define };

/** A verb, or a group of verbs. A file is loaded only when a verb of it is called. */
export type Branch = {
  readonly summary: string;
  readonly load?: () => Promise<Verb>;
  readonly verbs?: Readonly<Record<string, Branch>>;
};

const auth = () => import('./auth.ts');
const config = () => import('./config.ts');
const profile = () => import('./profile.ts');

export const tree: Readonly<Record<string, Branch & { readonly part: string }>> = {
  categories: {
    part: 'Store:',
    summary: 'List, get, create, import and compare categories',
    verbs: {
      list: verb('List all categories', () => import('./categories/list.ts')),
      get: verb('Show one category, by its id or exact name', () => import('./categories/get.ts')),
      create: verb('Create a category', () => import('./categories/create.ts')),
      import: verb(
        'Create the categories of a file, each name once',
        () => import('./categories/import.ts'),
      ),
      diff: verb(
        'Compare a file with the categories of the service',
        () => import('./categories/diff.ts'),
      ),
    },
  },
  pets: {
    part: 'Store:',
    summary: 'Show a pet (deprecated by the service)',
    verbs: {
      get: verb('Show a pet (deprecated by the service)', () => import('./pets.ts')),
    },
  },
  orders: {
    part: 'Store:',
    summary: 'List all orders',
    verbs: { list: verb('List all orders', () => import('./orders.ts')) },
  },
  auth: {
    part: 'Account:',
    summary: 'Log in, log out, show the API key in use',
    verbs: {
      login: verbIn(auth, 'defineLogin', 'Log in with an API key'),
      logout: verbIn(auth, 'defineLogout', 'Remove the stored API key'),
      status: verbIn(auth, 'defineStatus', 'Show which API key is used, and where it comes from'),
    },
  },
  profile: {
    part: 'Account:',
    summary: 'List profiles, and choose the default one',
    verbs: {
      list: verbIn(profile, 'defineList', 'List all profiles, and which one is the default'),
      use: verbIn(profile, 'defineUse', 'Make a profile the default one'),
    },
  },
  limits: {
    part: 'Account:',
    summary: 'Show what is left of the rate limit',
    load: () => import('./limits.ts'),
  },
  config: {
    part: 'Account:',
    summary: 'Show and change settings',
    verbs: {
      list: verbIn(config, 'defineList', 'List all settings, and where each one comes from'),
      get: verbIn(config, 'defineGet', 'Print the value of a setting'),
      set: verbIn(config, 'defineSet', 'Change a setting'),
      unset: verbIn(config, 'defineUnset', 'Remove a setting'),
      path: verbIn(config, 'definePath', 'Print the path of the settings file'),
    },
  },
  api: {
    part: 'Tools:',
    summary: 'Send any other request to the service',
    load: () => import('./api.ts'),
  },
  doctor: {
    part: 'Tools:',
    summary: 'Check settings, API key, network and rate limit',
    load: () => import('./doctor.ts'),
  },
  sandbox: {
    part: 'Tools:',
    summary: 'Run a copy of the service on this machine',
    load: () => import('./sandbox/sandbox.ts'),
  },
  completion: {
    part: 'Tools:',
    summary: 'Complete commands and options with the Tab key',
    load: () => import('./completion.ts'),
  },
};

function verb(summary: string, load: () => Promise<Verb>): Branch {
  return { summary, load };
}

function verbIn<Name extends string>(
  load: () => Promise<Readonly<Record<Name, Define>>>,
  name: Name,
  summary: string,
): Branch {
  return verb(summary, async () => ({ define: (await load())[name] }));
}
