import type { Command } from 'commander';
import { unsent } from '../errors.ts';
import type { Host } from '../session/host.ts';
import { addCommonOptions } from '../session/options.ts';
import { unloadable } from '../text/unloadable.ts';
import { loadCommand, loadLater } from './lazy.ts';
import { markTopic } from './topic.ts';

/** The file of a verb: what gives it its arguments, options and action. */
type Verb = { readonly define: (command: Command, host: Host) => void };

type Group = {
  readonly about: string;
  readonly verbs: Readonly<Record<string, Branch>>;
};

type Branch = { readonly about: string; readonly load: () => Promise<Verb> };

/** The whole command line, one line a verb. A verb's file is loaded only when it is called. */
const tree: Readonly<Record<string, Group | Branch>> = {
  categories: {
    about: 'The categories that classify pets',
    verbs: {
      list: { about: 'Show all categories', load: () => import('./categories/list.ts') },
      create: { about: 'Add a category', load: () => import('./categories/create.ts') },
      import: {
        about: 'Add the categories of a file, each exactly once',
        load: () => import('./categories/import/import.ts'),
      },
    },
  },
  pets: {
    about: 'Single pets',
    verbs: {
      get: {
        about: 'Show one pet (deprecated by the service)',
        load: () => import('./pets/get.ts'),
      },
    },
  },
  orders: {
    about: 'Orders of the store',
    verbs: {
      list: { about: 'Show the orders', load: () => import('./orders/list.ts') },
    },
  },
  limits: {
    about: 'What is left of the rate limit, at no cost in requests',
    load: () => import('./limits.ts'),
  },
  auth: {
    about: 'The API key',
    verbs: {
      login: { about: 'Store the API key of a profile', load: () => import('./auth/login.ts') },
      logout: {
        about: 'Remove the stored key of a profile',
        load: () => import('./auth/logout.ts'),
      },
      status: {
        about: 'Show which key is used, and for which address',
        load: () => import('./auth/status.ts'),
      },
    },
  },
  config: {
    about: 'Settings',
    verbs: {
      list: {
        about: 'Show all settings in force, and where each was given',
        load: () => import('./config/list.ts'),
      },
      get: { about: 'Show the value of a setting in force', load: () => import('./config/get.ts') },
      set: { about: 'Change a setting', load: () => import('./config/set.ts') },
      unset: {
        about: 'Remove a setting from the settings file',
        load: () => import('./config/unset.ts'),
      },
      path: { about: 'Show where the settings file is', load: () => import('./config/path.ts') },
    },
  },
  api: { about: 'Send any request to the service, as it is', load: () => import('./api/api.ts') },
  doctor: {
    about: 'Examine this machine: settings, key, proxy, limit',
    load: () => import('./doctor/doctor.ts'),
  },
  sandbox: {
    about: 'Run the service on this machine, to try things out',
    load: () => import('./sandbox/sandbox.ts'),
  },
  completion: {
    about: 'Completion with the Tab key, for your shell',
    load: () => import('./completion/completion.ts'),
  },
};

/** What help tells besides the commands: `petstore help NAME`. */
const topics: Readonly<Record<string, Branch>> = {
  'exit-codes': {
    about: 'What each exit code means',
    load: () => import('./topics/exit-codes.ts'),
  },
  environment: {
    about: 'Each environment variable, and the setting it stands for',
    load: () => import('./topics/environment.ts'),
  },
};

/** Adds the tree of commands: every name is there for help and suggestions, and only the called verb gets loaded. */
export function addCommands(program: Command, host: Host, words: readonly string[]): void {
  if (addCalled(program, host, words)) return;
  for (const [name, node] of Object.entries(tree)) {
    if ('load' in node) {
      addCommand(program, name, node, host);
      continue;
    }
    const group = addGroup(program, name, node, host);
    loadLater(group, async () => addCommonOptions(group));
  }
  for (const [name, topic] of Object.entries(topics))
    markTopic(addCommand(program, name, topic, host));
  program.hook('preSubcommand', (_program, called) => loadCommand(called));
  addCommonOptions(program);
}

/**
 * Where the first words call a verb of a group, adds that branch alone, which makes a start faster: no option stands before
 * it, and nothing said from there on names another verb. Tells whether they do.
 */
function addCalled(program: Command, host: Host, [name = '', verb = '']: readonly string[]) {
  const group = Object.hasOwn(tree, name) ? tree[name] : undefined;
  if (!group || !('verbs' in group) || !Object.hasOwn(group.verbs, verb)) return false;
  const verbs = Object.fromEntries(Object.entries(group.verbs).filter(([other]) => other === verb));
  addGroup(program, name, { ...group, verbs }, host);
  return true;
}

function addGroup(program: Command, name: string, { about, verbs }: Group, host: Host): Command {
  const group = program.command(name).summary(about).description(about);
  for (const [verb, branch] of Object.entries(verbs)) addCommand(group, verb, branch, host);
  group.hook('preSubcommand', (_group, called) => loadCommand(called));
  return group;
}

function addCommand(parent: Command, name: string, { about, load }: Branch, host: Host): Command {
  const command = parent.command(name).summary(about).description(about);
  loadLater(command, async () => {
    const { define } = await load().catch(unloadable).catch(unsent);
    define(command, host);
    addCommonOptions(command);
  });
  return command;
}
