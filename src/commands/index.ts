import type { Command } from 'commander';
import { unsent } from '../errors.ts';
import type { Host } from '../session/host.ts';
import { addCommonOptions } from '../session/options.ts';
import { unloadable } from '../text/unloadable.ts';
import { loadCommand, loadLater } from './lazy.ts';
import { markTopic } from './topic.ts';

/** Gives a verb its arguments, options and action. */
type Verb = (command: Command, host: Host) => void;

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
      list: {
        about: 'Show all categories',
        load: async () => (await import('./categories/list.ts')).list,
      },
      create: {
        about: 'Add a category',
        load: async () => (await import('./categories/create.ts')).create,
      },
      import: {
        about: 'Add the categories of a file, each exactly once',
        load: async () => (await import('./categories/import/import.ts')).importFile,
      },
    },
  },
  pets: {
    about: 'Single pets',
    verbs: {
      get: {
        about: 'Show one pet (deprecated by the service)',
        load: async () => (await import('./pets/get.ts')).get,
      },
    },
  },
  orders: {
    about: 'Orders of the store',
    verbs: {
      list: { about: 'Show the orders', load: async () => (await import('./orders/list.ts')).list },
    },
  },
  limits: {
    about: 'What is left of the rate limit, at no cost in requests',
    load: async () => (await import('./limits.ts')).limits,
  },
  auth: {
    about: 'The API key',
    verbs: {
      login: {
        about: 'Store the API key of a profile',
        load: async () => (await import('./auth/login.ts')).login,
      },
      logout: {
        about: 'Remove the stored key of a profile',
        load: async () => (await import('./auth/logout.ts')).logout,
      },
      status: {
        about: 'Show which key is used, and for which address',
        load: async () => (await import('./auth/status.ts')).status,
      },
    },
  },
  config: {
    about: 'Settings',
    verbs: {
      list: {
        about: 'Show all settings in force, and where each was given',
        load: async () => (await import('./config/list.ts')).list,
      },
      get: {
        about: 'Show the value of a setting in force',
        load: async () => (await import('./config/get.ts')).get,
      },
      set: {
        about: 'Change a setting',
        load: async () => (await import('./config/set.ts')).set,
      },
      unset: {
        about: 'Remove a setting from the settings file',
        load: async () => (await import('./config/unset.ts')).unset,
      },
      path: {
        about: 'Show where the settings file is',
        load: async () => (await import('./config/path.ts')).path,
      },
    },
  },
  api: {
    about: 'Send any request to the service, as it is',
    load: async () => (await import('./api/api.ts')).api,
  },
  doctor: {
    about: 'Examine this machine: settings, key, proxy, limit',
    load: async () => (await import('./doctor/doctor.ts')).doctor,
  },
  sandbox: {
    about: 'Run the service on this machine, to try things out',
    load: async () => (await import('./sandbox/sandbox.ts')).sandbox,
  },
  completion: {
    about: 'Completion with the Tab key, for your shell',
    load: async () => (await import('./completion/completion.ts')).completion,
  },
};

/** What help tells besides the commands: `petstore help NAME`. */
const topics: Readonly<Record<string, Branch>> = {
  'exit-codes': {
    about: 'What each exit code means',
    load: async () => (await import('./topics/exit-codes.ts')).exitCodes,
  },
  environment: {
    about: 'Each environment variable, and the setting it stands for',
    load: async () => (await import('./topics/environment.ts')).environment,
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
    const verb = await load().catch(unloadable).catch(unsent);
    verb(command, host);
    addCommonOptions(command);
  });
  return command;
}
