import type { Command } from 'commander';
import type { App } from '../session/app.ts';
import { addCommonOptions } from '../session/options.ts';
import { helpWidth, pathOf, pointer } from './help.ts';
import { commandBelow, LazyCommand, loadCommand, optionWithValue } from './lazy-command.ts';
import { topics } from './topics.ts';
import { type Branch, tree } from './tree.ts';

export function createProgram(app: App, onText: (text: string) => void): Command {
  const width = helpWidth(app.context);
  const program = new LazyCommand('petstore')
    .description(about(width))
    .helpCommand(false)
    .exitOverride()
    // Otherwise the program takes the -v of `create dog --description -vintage`, and the description becomes "-intage".
    .enablePositionalOptions()
    .addHelpText('afterAll', ({ command }) => lastLines(command, width))
    .configureOutput({
      writeOut: onText,
      writeErr: onText,
      outputError: () => {},
      getOutHelpWidth: () => width,
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
    topic.helpInformation = () => page(program, width);
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

/** Turns `help COMMAND` into `COMMAND --help`. Commander's own help command goes only one level deep. */
export function rewriteHelpArgs(program: Command, argv: readonly string[]): readonly string[] {
  let command = program;
  for (const [index, word] of argv.entries()) {
    if (command.commands.length === 0 || word === '--') return argv;
    if (word.startsWith('-') || optionWithValue(program, argv[index - 1] ?? '')) continue;
    if (word === 'help') return rewriteHelpArgs(program, [...argv.toSpliced(index, 1), '--help']);
    const below = commandBelow(command, word);
    // With --help Commander would show the page of the group and exit with 0.
    if (!below) return argv.filter((other) => other !== '--help' && other !== '-h');
    command = below;
  }
  return argv;
}

function about(width: number): string {
  return [
    'Manage the categories of the pet store service.\n',
    pointer('Try it without an account: ', ['petstore categories list --profile sandbox'], width),
    pointer('Then log in with your key: ', ['petstore auth login'], width),
  ].join('\n');
}

function lastLines(command: Command, width: number): string {
  const names = Object.keys(topics);
  if (names.includes(command.name())) return '';
  if (!command.parent) {
    const topic = `petstore help ${names.join('|')}`;
    return `\n${pointer('More help:', ['petstore help COMMAND', topic], width)}`;
  }
  const verb = `${pathOf(command).replace('petstore', 'petstore help')} COMMAND`;
  const verbs = `${pointer('More about a command:', [verb], width)}\n`;
  const label = 'Options of all commands, such as --profile and --json:';
  const options = pointer(label, ['petstore help options'], width);
  return `\n${command.commands.length > 0 ? verbs : ''}${options}`;
}
