import type { Command } from 'commander';

const loaders = new WeakMap<Command, () => Promise<void>>();

/** Registers what gives a command its arguments, options and action, for when it is called. */
export function loadLater(command: Command, loader: () => Promise<void>): void {
  loaders.set(command, loader);
}

/** Gives a command its arguments, options and action, once. */
export async function loadCommand(command: Command): Promise<void> {
  const loader = loaders.get(command);
  loaders.delete(command);
  await loader?.();
}

/** Loads a command and all below it, for what reads the whole tree; imports every verb's file. */
export async function loadAllCommands(command: Command): Promise<void> {
  await loadCommand(command);
  for (const below of command.commands) await loadAllCommands(below);
}
