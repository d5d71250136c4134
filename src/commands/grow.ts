import type { Command } from 'commander';

const seeds = new WeakMap<Command, () => Promise<void>>();

/** Keeps for later what gives a command its arguments, options and action. */
export function sow(command: Command, seed: () => Promise<void>): void {
  seeds.set(command, seed);
}

/** Gives a command its arguments, options and action, once. */
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
