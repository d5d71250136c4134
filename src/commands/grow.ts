import type { Command } from 'commander';

const seeds = new WeakMap<Command, () => Promise<void>>();

/** Keeps for later what gives a verb its arguments, options and action. */
export function sow(verb: Command, seed: () => Promise<void>): void {
  seeds.set(verb, seed);
}

/** Gives a verb its arguments, options and action, once; a group has nothing to come. */
export async function grow(command: Command): Promise<void> {
  const seed = seeds.get(command);
  seeds.delete(command);
  await seed?.();
}

/** Grows a command and all below it, for who reads the whole tree; loads every verb's file. */
export async function growAll(command: Command): Promise<void> {
  await grow(command);
  for (const below of command.commands) await growAll(below);
}
