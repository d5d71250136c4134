import type { TestContext } from 'vitest';

type Command = {
  readonly argv: readonly string[];
  /** Undefined while it runs. */
  exit?: number | string | null;
  readonly stderr: () => string;
};

const maxCommands = 5;
const maxLength = 2_000;

/** Adds the last commands of a test to the message of its failure. Call the returned function when one starts. */
export function noteCommands({ onTestFailed }: Pick<TestContext, 'onTestFailed'>) {
  const last: Command[] = [];
  onTestFailed(({ task }) => {
    const [error] = task.result?.errors ?? [];
    // The difference of a list of messages names its commands itself.
    if (error && !error.message.startsWith('Snapshot '))
      error.message += last.map(describeCommand).join('');
  });
  return (command: Command): Command => {
    if (last.push(command) > maxCommands) last.shift();
    return command;
  };
}

function describeCommand({ argv, exit, stderr }: Command): string {
  const end = exit === undefined ? 'still running' : `exit ${exit}`;
  const line = argv.join(' ').slice(0, maxLength);
  return `\n$ ${line} (${end})\n${stderr().slice(-maxLength)}`;
}
