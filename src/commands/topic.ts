import type { Command } from 'commander';

/** What distinguishes them from commands. */
const topicsHeading = 'Help topics:';

/** Makes a command one that only explains something: `petstore help NAME`. */
export function markTopic(command: Command): void {
  command.helpGroup(topicsHeading);
}

export function isTopic(command: Command): boolean {
  return command.helpGroup() === topicsHeading;
}
