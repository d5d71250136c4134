import { Command, CommanderError } from 'commander';

/** Returns what a word was most likely meant to be, by the measure that Commander has for commands. */
export function similarTo(word: string, candidates: readonly string[]): string | undefined {
  const initial = initialOf(word);
  // Commander would also suggest import for export.
  const near = candidates.filter((name) => name !== word && initialOf(name) === initial);
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

function initialOf(word: string): string | undefined {
  return /^-*(\w)/.exec(word)?.[1]?.toLowerCase();
}
