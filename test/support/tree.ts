import type { Command } from 'commander';
import { examplesOf } from '../../src/commands/examples.ts';
import { optionsOf, verbsOf, wordsOf } from '../../src/commands/help.ts';
import { loadAllCommands } from '../../src/commands/lazy.ts';
import { createProgram } from '../../src/commands/program.ts';
import { isTopic } from '../../src/commands/topic.ts';
import type { App } from '../../src/session/app.ts';

/** The whole tree of commands with all arguments and options; its actions have no world to act on but an empty one to fit their help to. */
async function grownProgram(): Promise<Command> {
  const program = createProgram({ context: { stdout: {}, env: {} } } as App, () => {});
  await loadAllCommands(program);
  return program;
}

/** An option of a command line: its name, what help says of it, and the values it may have. */
type Option = {
  readonly long: string;
  readonly description: string;
  readonly choices: readonly string[];
};

/** A command that does something, such as `categories list`. */
type Verb = {
  readonly words: string;
  readonly examples: readonly string[];
  readonly options: readonly Option[];
};

/** Lists all that can be called or asked for help, by its words without the program's own name. */
export async function listCommands() {
  const program = await grownProgram();
  const verbs = verbsOf(program).map((verb): Verb => {
    const { own, common } = optionsOf(verb);
    const options = [...own, ...common].map(({ long, description, argChoices }) => ({
      long: long ?? '',
      description,
      choices: argChoices ?? [],
    }));
    return { words: wordsOf(verb), examples: examplesOf(verb), options };
  });
  const topics = program.commands.filter(isTopic).map(wordsOf);
  const top = program.commands.filter((command) => !isTopic(command)).map(wordsOf);
  return { verbs, topics, top };
}

/** Returns the examples in the help of all commands: command lines for a POSIX shell, but for those of PowerShell. */
export async function readExamples(): Promise<string[]> {
  return (await listCommands()).verbs.flatMap(({ examples }) => examples);
}

/** Returns true for a command line that is not just petstore and its arguments. */
export function needsShell(line: string): boolean {
  return !line.startsWith('petstore ') || /[|<>$;&~]| -- /.test(line);
}
