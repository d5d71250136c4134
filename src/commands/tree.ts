import type { Command } from 'commander';
import type { App } from '../session/app.ts';

/** The file of a verb; `define` adds its arguments, options and action. */
type Verb = { readonly define: (command: Command, app: App) => void };

/** A verb, or a group of verbs. A verb's file is loaded only when the verb is called. */
export type Branch = {
  readonly summary: string;
  readonly load?: () => Promise<Verb>;
  readonly verbs?: Readonly<Record<string, Branch>>;
};

/** All commands; `part` is the heading on the first page. */
export const tree: Readonly<Record<string, Branch & { readonly part: string }>> = {
  categories: {
    part: 'Store:',
    summary: 'List, get, create, import and compare categories',
    verbs: {
      list: { summary: 'List all categories', load: () => import('./categories/list.ts') },
      get: {
        summary: 'Show one category, by its id or exact name',
        load: () => import('./categories/get.ts'),
      },
      create: { summary: 'Create a category', load: () => import('./categories/create.ts') },
      import: {
        summary: 'Import categories from a file, each name exactly once',
        load: () => import('./categories/import.ts'),
      },
      diff: {
        summary: 'Compare a file with the categories of the service',
        load: () => import('./categories/diff.ts'),
      },
    },
  },
  pets: {
    part: 'Store:',
    summary: 'Show a pet (deprecated by the service)',
    verbs: {
      get: { summary: 'Show a pet (deprecated by the service)', load: () => import('./pets.ts') },
    },
  },
  orders: {
    part: 'Store:',
    summary: 'List all orders',
    verbs: { list: { summary: 'List all orders', load: () => import('./orders.ts') } },
  },
  auth: {
    part: 'Account:',
    summary: 'Log in, log out, show the API key in use',
    verbs: {
      login: { summary: 'Log in with an API key', load: () => import('./auth/login.ts') },
      logout: { summary: 'Remove the stored API key', load: () => import('./auth/logout.ts') },
      status: {
        summary: 'Show which API key is used, and where it comes from',
        load: () => import('./auth/status.ts'),
      },
    },
  },
  profile: {
    part: 'Account:',
    summary: 'List profiles, and choose the default one',
    verbs: {
      list: {
        summary: 'List all profiles, and which one is the default',
        load: () => import('./profile/list.ts'),
      },
      use: { summary: 'Make a profile the default one', load: () => import('./profile/use.ts') },
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
      list: {
        summary: 'List all settings, and where each one comes from',
        load: () => import('./config/list.ts'),
      },
      get: { summary: 'Print the value of a setting', load: () => import('./config/get.ts') },
      set: { summary: 'Change a setting', load: () => import('./config/set.ts') },
      unset: { summary: 'Remove a setting', load: () => import('./config/unset.ts') },
      path: {
        summary: 'Print the path of the settings file',
        load: () => import('./config/path.ts'),
      },
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
