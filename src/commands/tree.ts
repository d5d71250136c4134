import type { Command } from 'commander';
import type { App } from '../session/app.ts';

type Verb = { readonly define: (command: Command, app: App) => void };

/** A verb, or a group of verbs. A verb's file is loaded only when the verb is called. */
export type Branch = {
  readonly summary: string;
  readonly load?: () => Promise<Verb>;
  readonly verbs?: Readonly<Record<string, Branch>>;
};

export const tree: Readonly<Record<string, Branch & { readonly part: string }>> = {
  categories: {
    part: 'Store:',
    summary: 'List, get, create, import and compare categories',
    verbs: {
      list: verb('List all categories', () => import('./categories/list.ts')),
      get: verb('Show one category, by its id or exact name', () => import('./categories/get.ts')),
      create: verb('Create a category', () => import('./categories/create.ts')),
      import: verb(
        'Import categories from a file, each name exactly once',
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
      login: verb('Log in with an API key', () => import('./auth/login.ts')),
      logout: verb('Remove the stored API key', () => import('./auth/logout.ts')),
      status: verb(
        'Show which API key is used, and where it comes from',
        () => import('./auth/status.ts'),
      ),
    },
  },
  profile: {
    part: 'Account:',
    summary: 'List profiles, and choose the default one',
    verbs: {
      list: verb(
        'List all profiles, and which one is the default',
        () => import('./profile/list.ts'),
      ),
      use: verb('Make a profile the default one', () => import('./profile/use.ts')),
    },
  },
  limits: {
    part: 'Account:',
    summary: 'Show the rate limit and what is left of it',
    load: () => import('./limits.ts'),
  },
  config: {
    part: 'Account:',
    summary: 'Show and change settings',
    verbs: {
      list: verb(
        'List all settings, and where each one comes from',
        () => import('./config/list.ts'),
      ),
      get: verb('Print the value of a setting', () => import('./config/get.ts')),
      set: verb('Change a setting', () => import('./config/set.ts')),
      unset: verb('Remove a setting', () => import('./config/unset.ts')),
      path: verb('Print the path of the settings file', () => import('./config/path.ts')),
    },
  },
  api: {
    part: 'Tools:',
    summary: 'Send any request to the service',
    load: () => import('./api.ts'),
  },
  doctor: {
    part: 'Tools:',
    summary: 'Check settings, API key, network and rate limit',
    load: () => import('./doctor.ts'),
  },
  sandbox: {
    part: 'Tools:',
    summary: 'Run a local sandbox of the service',
    load: () => import('./sandbox/sandbox.ts'),
  },
  completion: {
    part: 'Tools:',
    summary: 'Complete commands and options with the Tab key',
    load: () => import('./completion/completion.ts'),
  },
};

function verb(summary: string, load: () => Promise<Verb>): Branch {
  return { summary, load };
}
