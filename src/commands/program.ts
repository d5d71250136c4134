import type { Command } from 'commander';
import type { App } from '../session/app.ts';
import { addCommonOptions } from '../session/options.ts';
import { commandPath, helpWidth } from './help.ts';
import { LazyCommand, loadCommand } from './lazy-command.ts';
import { topics } from './topics.ts';
import { type Branch, tree } from './tree.ts';

const about = `Manage the categories of the pet store service.

Try it without an account:  petstore categories list --profile sandbox
Then log in with your key:  petstore auth login`;

export function createProgram(app: App, onText: (text: string) => void): Command {
  const program = new LazyCommand('petstore')
    .description(about)
    .helpCommand(false)
    .exitOverride()
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
  }
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
  command.hook('preSubcommand', (_, called) => loadCommand(called));
  command.load = async () => {
    if (load) (await load()).define(command, app);
    addCommonOptions(command);
  };
  return command;
}

function lastLines(command: Command): string {
  const names = Object.keys(topics);
  if (names.includes(command.name())) return '';
  if (!command.parent) {
    return `\nMore help: petstore help COMMAND, petstore help ${names.join('|')}`;
  }
  const helpCommand = `${commandPath(command).replace('petstore', 'petstore help')} COMMAND`;
  const verbs = command.commands.length > 0 ? `More about a command: ${helpCommand}\n` : '';
  return `\n${verbs}Options of all commands, such as --profile and --json: petstore help options`;
}
