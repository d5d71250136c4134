import type { Command } from 'commander';
import { addCommonOptions } from '../session/options.ts';
import type { App } from '../session/session.ts';
import { version } from '../version.ts';
import { commandPath, helpWidth, layout, printPage, wrap } from './help.ts';
import { commandBelow, LazyCommand, loadCommand } from './lazy-command.ts';
import { topics } from './topics.ts';
import { type Group, type Leaf, tree } from './tree.ts';
import type { Verb } from './verb.ts';

const about = 'Manage the categories of a pet store service. Interrupted imports resume.';
const firstStep = 'To try it without an account: petstore categories list --profile sandbox';
const whereOptionsAre =
  'Options of all commands, such as --profile and --json: petstore help options';

export function createProgram(app: App, onText: (text: string) => void): Command {
  const program = new LazyCommand('petstore')
    .description(about)
    .usage('<command> [options]')
    .helpCommand(false)
    .exitOverride()
    .showHelpAfterError('See: petstore --help')
    // Otherwise the program takes the -v of `create dog --description -vintage`, and the description becomes "-intage".
    .enablePositionalOptions()
    .configureHelp(layout)
    .addHelpText('afterAll', ({ command }) => {
      return `\n${wrap(command, command.parent ? whereOptionsAre : firstStep)}`;
    })
    .configureOutput({
      writeOut: onText,
      writeErr: onText,
      getOutHelpWidth: () => helpWidth(app.context),
      getErrHelpWidth: () => helpWidth(app.context),
    });
  // Before the commands, which inherit the help option when they are added.
  addCommonOptions(program);
  program.hook('preSubcommand', (_, called) => loadCommand(called));
  for (const [part, commands] of Object.entries(tree)) {
    program.commandsGroup(part);
    for (const [name, node] of Object.entries(commands)) add(program, app, name, node);
  }
  const help = addHelp(program, app, `Help for a command, or: ${Object.keys(topics).join(', ')}`);
  for (const [name, page] of Object.entries(topics)) {
    add(help, app, name).action(() => printPage(app, page(program)));
  }
  add(program, app, 'version').action(() => app.sink.print([version]));
  return program;
}

/** Adds a command, and those below it. It is hidden if nothing is said of it. */
function add(
  parent: LazyCommand,
  app: App,
  name: string,
  [summary, below = {}]: Leaf | Group | readonly [summary: string] = [''],
): LazyCommand {
  const command = parent.command(name, { hidden: summary === '' });
  command.summary(summary).description(summary);
  if (name === 'list') command.alias('ls');
  command.showHelpAfterError(`See: ${commandPath(command)} --help`);
  command.hook('preSubcommand', (_, called) => loadCommand(called));
  command.load = async () => {
    if (typeof below === 'function') {
      // Help of the program needs no sessions.
      const { define } = await import('./verb.ts');
      const verbs = (await below()) as Readonly<Record<string, Verb>>;
      define(command, app, verbs[name] as Verb);
    }
    addCommonOptions(command);
  };
  if (typeof below === 'function') return command;
  for (const [verb, leaf] of Object.entries(below)) add(command, app, verb, leaf);
  if (command.commands.length > 0) addHelp(command.usage('<command> [options]'), app);
  return command;
}

/** Adds `help COMMAND`. Commander's own goes one level deep, and does not wait for the file of a command. */
function addHelp(parent: LazyCommand, app: App, summary = ''): LazyCommand {
  const help = add(parent, app, 'help', [summary]).argument('[command...]');
  return help.action(async (words: string[]) => {
    let command: Command = parent;
    for (const word of words) {
      const next = commandBelow(command, word);
      if (!next) return command.error(`error: unknown command '${word}'`);
      await loadCommand(next);
      command = next;
    }
    command.help();
  });
}
