import { type Command, Help } from 'commander';
import { commandPath } from '../../src/commands/help.ts';
import { loadCommand } from '../../src/commands/lazy-command.ts';
import { createProgram } from '../../src/commands/program.ts';
import { topics } from '../../src/commands/topics.ts';
import type { App } from '../../src/session/session.ts';

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
  const text: string[] = [];
  const program = createProgram({ context: { stdout: {} } } as App, (part) => text.push(part));
  const help = new Help();
  const visible = help.visibleCommands(program).filter((command) => command.name() !== 'help');
  const verbs: Verb[] = [];
  for (const verb of (await Promise.all(visible.map(loadVerbs))).flat()) {
    const options = help.visibleOptions(verb).map(({ long, description, argChoices }) => ({
      long: long ?? '',
      description,
      choices: argChoices ?? [],
    }));
    text.length = 0;
    verb.outputHelp();
    verbs.push({ words: wordsOf(verb), examples: examplesIn(text.join('')), options });
  }
  return { verbs, topics: Object.keys(topics), top: visible.map(wordsOf) };
}

async function loadVerbs(command: Command): Promise<Command[]> {
  await loadCommand(command);
  const below = new Help().visibleCommands(command);
  return below.length === 0 ? [command] : (await Promise.all(below.map(loadVerbs))).flat();
}

function wordsOf(command: Command): string {
  return commandPath(command).replace('petstore ', '');
}

function examplesIn(page: string): string[] {
  const [, examples = ''] = /^Examples:\n((?: {2}.*\n)*)/m.exec(page) ?? [];
  return examples.split('\n').flatMap((line) => line.trim() || []);
}

/** Returns the examples in the help of all commands: command lines for a POSIX shell, but for those of PowerShell. */
export async function readExamples(): Promise<string[]> {
  return (await listCommands()).verbs.flatMap(({ examples }) => examples);
}

/** Returns true for a command line that is not just petstore and its arguments. */
export function needsShell(line: string): boolean {
  return !line.startsWith('petstore ') || /[|<>$;&~]| -- /.test(line);
}
