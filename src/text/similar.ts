import { Command, CommanderError } from 'commander';

/** Commander allows three edits. */
const maxAdded = 3;

/** Returns what a word was most likely meant to be, by the measure that Commander has for commands. */
export function similarTo(word: string, candidates: readonly string[]): string | undefined {
  const near = candidates.filter((name) => name !== word && mayBeMeant(name, word));
  const same = near.find((name) => name.toLowerCase() === word.toLowerCase());
  if (same !== undefined) return same;
  const judge = new Command().exitOverride().configureOutput({ outputError() {} });
  for (const name of new Set(near)) judge.addCommand(new Command(name));
  try {
    if (near.length > 0) judge.parse(['--', word], { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    const complaint = `error: unknown command '${word}'\n(Did you mean `;
    const found = error.message.slice(complaint.length).replace(/^one of /, '');
    return near.find((name) => found.startsWith(`${name}?)`) || found.startsWith(`${name}, `));
  }
  return undefined;
}

/** Returns false for most names that are not similar. Commander would also suggest import for export. */
export function mayBeMeant(name: string, word: string): boolean {
  return Math.abs(name.length - word.length) <= maxAdded && findInitial(name) === findInitial(word);
}

function findInitial(word: string): string | undefined {
  return /^-*(\w)/.exec(word)?.[1]?.toLowerCase();
}
