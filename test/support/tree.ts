import type { Command } from 'commander';
import { loadAllCommands } from '../../src/commands/lazy.ts';
import { createProgram } from '../../src/commands/program.ts';
import type { Host } from '../../src/session/host.ts';

/** The whole tree of commands with all arguments and options; its actions have no world to act on but an empty one to fit their help to. */
export async function grownProgram(): Promise<Command> {
  const program = createProgram({ context: { stdout: {}, env: {} } } as Host, () => {});
  await loadAllCommands(program);
  return program;
}
