import type { Command } from 'commander';
import type { App } from '../session/app.ts';
import { addCommonOptions } from '../session/options.ts';
import { commandPath, helpPath, helpWidth, wrap } from './help.ts';
import { commandBelow, LazyCommand, loadCommand } from './lazy-command.ts';
import { topics } from './topics.ts';
import { type Branch, tree } from './tree.ts';

const about = 'Manage pet store categories. Imports resume, and nothing is created twice.';

const firstSteps = `<command> [options]

  petstore categories list --profile sandbox   try it: no account, no network
  petstore auth login                          then connect to your service`;

export function createProgram(app: App, onText: (text: string) => void): Command {
  const program = new LazyCommand('petstore')
    .description(about)
    .usage(firstSteps)
    .helpCommand(false)
    .exitOverride()
    .showHelpAfterError('See: petstore --help')
    // Otherwise the program takes the -v of `create dog --description -vintage`, and the description becomes "-intage".
    .enablePositionalOptions()
    .addHelpText('afterAll', ({ command }) => lastLines(command))
    .configureOutput({
      writeOut: onText,
      writeErr: onText,
      getOutHelpWidth: () => helpWidth(app.context),
      getErrHelpWidth: () => helpWidth(app.context),
    });
  // Before the commands, which inherit the help option when they are added.
  addCommonOptions(program);
  program.hook('preSubcommand', (_, called) => loadCommand(called));
  for (const [name, node] of Object.entries(tree)) {
    const command = add(program, app, name, node).helpGroup(node.part);
    for (const [verb, branch] of Object.entries(node.verbs ?? {})) add(command, app, verb, branch);
    if (node.verbs) addHelp(command.usage('<command> [options]'));
  }
  addHelp(program);
  for (const [name, page] of Object.entries(topics)) {
    const topic = program.command(name, { hidden: true });
    topic.helpInformation = () => page(program);
    topic.action(() => topic.help());
  }
  return program;
}

function add(parent: LazyCommand, app: App, name: string, { summary, load }: Branch): LazyCommand {
  const command = parent.command(name).summary(summary).description(summary);
  if (name === 'list') command.alias('ls');
  command.showHelpAfterError(`See: ${commandPath(command)} --help`);
  command.hook('preSubcommand', (_, called) => loadCommand(called));
  command.load = async () => {
    if (load) (await load()).define(command, app);
    addCommonOptions(command);
  };
  return command;
}

/** Adds `help COMMAND`. Commander's own goes only one level deep. */
function addHelp(parent: LazyCommand): void {
  const help = parent.command('help', { hidden: true }).argument('[command...]');
  help.description('Show help for a command or a topic');
  help.load = async () => addCommonOptions(help);
  help.action(async (words: string[]) => {
    let command = parent;
    for (const word of words) {
      const next = commandBelow(command, word);
      if (!next) return command.error(`error: unknown command '${word}'`);
      await loadCommand(next);
      command = next as LazyCommand;
    }
    command.help();
  });
}

function lastLines(command: Command): string {
  const names = Object.keys(topics);
  if (names.includes(command.name())) return '';
  if (!command.parent) {
    return `\n${wrap(command, `More help: petstore help COMMAND, petstore help ${names.join('|')}`)}`;
  }
  const verbs =
    command.commands.length > 0 ? `More about a command: ${helpPath(command)} COMMAND\n` : '';
  const options = 'Options of all commands, such as --profile and --json: petstore help options';
  return `\n${verbs}${wrap(command, options)}`;
}
