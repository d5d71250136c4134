import type { Shell } from './scripts.ts';

/** The words of a command line as petstore would get them, the last one unfinished, and what the shell replaces of that. */
type Words = {
  readonly before: readonly string[];
  readonly last: string;
  /** How much of the last word stays in front of what the shell puts in. */
  readonly kept: number;
};

/** What a shell hands over, made the same for all of them. */
export function wordsFrom(shell: Shell, given: readonly string[]): Words {
  const words = shell === 'bash' ? joined(given) : given;
  const last = words.at(-1) ?? '';
  const kept = shell === 'bash' ? last.length - (given.at(-1) ?? '').replace(breaks, '').length : 0;
  return {
    before: words.slice(0, -1),
    last: shell === 'powershell' ? last.slice(1) : last,
    kept,
  };
}

/** What bash takes for a word of its own wherever it stands: `--output=json` arrives as three. */
const breaks = /^[=:@]+$/;

function joined(words: readonly string[]): readonly string[] {
  const whole: string[] = [];
  let open = false;
  for (const word of words) {
    const isBreak = breaks.test(word);
    if (whole.length > 0 && (isBreak || open)) whole.push(`${whole.pop()}${word}`);
    else whole.push(word);
    open = isBreak;
  }
  return whole;
}
