import type { Command } from 'commander';
import type { App } from '../session/app.ts';
import { addCommonOptions } from '../session/options.ts';
import type { Part } from './first-page.ts';
import { loadCommand, loadLater } from './lazy.ts';
import { markTopic } from './topic.ts';

/** The file of a verb: what gives it its arguments, options and action. */
type Verb = { readonly define: (command: Command, app: App) => void };

type Group = {
  readonly about: string;
  readonly verbs: Readonly<Record<string, Branch>>;
};

type Branch = { readonly about: string; readonly load: () => Promise<Verb> };

const loadScript = () => import('./completion/script.ts');

/** The whole command line, one line a verb. A verb's file is loaded only when it is called. */
const tree: Readonly<Record<string, (Group | Branch) & { readonly part: Part }>> = {
  categories: {
    part: 'Store',
    about: 'List, get, create, import and compare categories',
    verbs: {
      list: { about: 'List all categories', load: () => import('./categories/list.ts') },
      get: {
        about: 'Show one category, by its id or exact name',
        load: () => import('./categories/get.ts'),
      },
      create: { about: 'Create a category', load: () => import('./categories/create.ts') },
      import: {
        about: 'Import categories from a file, each name exactly once',
        load: () => import('./categories/import/import.ts'),
      },
      diff: {
        about: 'Compare a file with the categories of the service',
        load: () => import('./categories/diff/diff.ts'),
      },
    },
  },
  pets: {
    part: 'Store',
    about: 'Show a pet (deprecated by the service)',
    verbs: {
      get: { about: 'Show a pet (deprecated by the service)', load: () => import('./pets.ts') },
    },
  },
  orders: {
    part: 'Store',
    about: 'List all orders',
    verbs: {
      list: { about: 'List all orders', load: () => import('./orders.ts') },
    },
  },
  auth: {
    part: 'Account',
    about: 'Log in, log out, show the API key in use',
    verbs: {
      login: { about: 'Log in with an API key', load: () => import('./auth/login.ts') },
      logout: { about: 'Remove the stored API key', load: () => import('./auth/logout.ts') },
      status: {
        about: 'Show which API key is used, and where it comes from',
        load: () => import('./auth/status.ts'),
      },
    },
  },
  profile: {
    part: 'Account',
    about: 'List profiles, and choose the default one',
    verbs: {
      list: {
        about: 'List all profiles, and which one is the default',
        load: () => import('./profile/list.ts'),
      },
      use: {
        about: 'Make a profile the default one',
        load: () => import('./profile/use.ts'),
      },
    },
  },
  limits: {
    part: 'Account',
    about: 'Show the rate limit and what is left of it',
    load: () => import('./limits.ts'),
  },
  config: {
    part: 'Account',
    about: 'Show and change settings',
    verbs: {
      list: {
        about: 'List all settings, and where each one comes from',
        load: () => import('./config/list.ts'),
      },
      get: { about: 'Print the value of a setting', load: () => import('./config/get.ts') },
      set: { about: 'Change a setting', load: () => import('./config/set.ts') },
      unset: { about: 'Remove a setting', load: () => import('./config/unset.ts') },
      path: {
        about: 'Print the path of the settings file',
        load: () => import('./config/path.ts'),
      },
    },
  },
  api: {
    part: 'Tools',
    about: 'Send any request to the service',
    load: () => import('./api.ts'),
  },
  doctor: {
    part: 'Tools',
    about: 'Check settings, API key, network and rate limit',
    load: () => import('./doctor.ts'),
  },
  sandbox: {
    part: 'Tools',
    about: 'Run a local sandbox of the service',
    load: () => import('./sandbox/sandbox.ts'),
  },
  completion: {
    part: 'Tools',
    about: 'Complete commands and options with the Tab key',
    verbs: {
      bash: { about: 'Print the completion script for bash', load: loadScript },
      zsh: { about: 'Print the completion script for zsh', load: loadScript },
      fish: { about: 'Print the completion script for fish', load: loadScript },
      powershell: { about: 'Print the completion script for PowerShell', load: loadScript },
    },
  },
};

/** The second name of `list`, in every group that has one. */
const listAlias = 'ls';

/** What help explains besides the commands: `petstore help NAME`. */
const topics: Readonly<Record<string, Branch>> = {
  options: {
    about: 'Options of all commands',
    load: () => import('./topics/options.ts'),
  },
  'exit-codes': {
    about: 'What each exit code means',
    load: () => import('./topics/exit-codes.ts'),
  },
  environment: {
    about: 'Environment variables',
    load: () => import('./topics/environment.ts'),
  },
};

/** Adds the tree of commands: every name is there for help and suggestions, and only the called verb gets loaded. */
export function addCommands(program: Command, app: App, words: readonly string[]): void {
  if (addCalled(program, app, words)) return;
  for (const [name, node] of Object.entries(tree)) {
    if ('load' in node) {
      addCommand(program, name, node, app).helpGroup(node.part);
      continue;
    }
    const group = addGroup(program, name, node, app).helpGroup(node.part);
    loadLater(group, async () => addCommonOptions(group));
  }
  for (const [name, topic] of Object.entries(topics))
    markTopic(addCommand(program, name, topic, app));
  program.hook('preSubcommand', (_program, called) => loadCommand(called));
  addCommonOptions(program);
}

/**
 * Where the first words call a verb of a group, adds that branch alone, which makes a start faster: no option comes before
 * it, and no message from there on names another verb. Returns whether they do.
 */
function addCalled(program: Command, app: App, [name = '', word = '']: readonly string[]) {
  // What completes has to know all names.
  if (name === 'completion') return false;
  const group = Object.hasOwn(tree, name) ? tree[name] : undefined;
  const verb = word === listAlias ? 'list' : word;
  if (!group || !('verbs' in group) || !Object.hasOwn(group.verbs, verb)) return false;
  const verbs = Object.fromEntries(Object.entries(group.verbs).filter(([other]) => other === verb));
  addGroup(program, name, { ...group, verbs }, app);
  return true;
}

function addGroup(program: Command, name: string, { about, verbs }: Group, app: App): Command {
  const group = program.command(name).summary(about).description(about);
  for (const [verb, branch] of Object.entries(verbs)) {
    const command = addCommand(group, verb, branch, app);
    if (verb === 'list') command.alias(listAlias);
  }
  group.hook('preSubcommand', (_group, called) => loadCommand(called));
  return group;
}

function addCommand(parent: Command, name: string, { about, load }: Branch, app: App): Command {
  const command = parent.command(name).summary(about).description(about);
  loadLater(command, async () => {
    const { define } = await load();
    define(command, app);
    addCommonOptions(command);
  });
  return command;
}
