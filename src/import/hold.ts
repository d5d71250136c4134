import { rmSync } from 'node:fs';
import { claim } from '../claim.ts';
import type { Context } from '../context.ts';
import { Failure } from '../errors.ts';
import { type Journal, openJournal } from './journal.ts';

/**
 * Works with a journal that no other process works with meanwhile.
 * @throws Failure (output) when another one does, and whatever the work throws
 */
export async function withJournal(
  context: Context,
  path: string,
  work: (journal: Journal) => Promise<void>,
): Promise<void> {
  const held = claim(context, `${path}.claim`);
  if (!held.mine) throw taken(held);
  try {
    const journal = openJournal(context.openAppendFile, path);
    try {
      await work(journal);
    } finally {
      journal.close();
      // Nothing was begun.
      if (!journal.standing.header) rmSync(path, { force: true });
    }
  } finally {
    held.release();
  }
}

function taken({ pid, host, since }: { pid: number; host: string; since: number }): Failure {
  const time = `${new Date(since).toISOString().slice(0, -5)}Z`;
  return new Failure('output', `process ${pid} on ${host} is importing this file since ${time}`, {
    consequence: 'Nothing was sent.',
    hint: 'Wait for its end, or stop it; then run the same command again.',
    outcome: 'not_sent',
  });
}
