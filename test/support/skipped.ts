import type { Reporter, TestModule } from 'vitest/node';
import { needs } from './needs.mts';

/** Ends a run with one line: how many tests each missing program made skip. Nothing when none is missing. */
export default class SkippedReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const line = skippedLine(
      modules.flatMap((module) => [...module.children.allTests('skipped')].map(({ tags }) => tags)),
      needs.filter((tag) => 'skip' in tag).map(({ name }) => name),
    );
    if (line) console.log(line);
  }
}

/** The line for the tags of each skipped test, or undefined when none of them is missing. */
function skippedLine(
  skipped: readonly (readonly string[])[],
  missing: readonly string[],
): string | undefined {
  const counts = missing
    .map((name) => ({ name, count: skipped.filter((tags) => tags.includes(name)).length }))
    .filter(({ count }) => count > 0);
  if (counts.length === 0) return undefined;
  const all = skipped.filter((tags) => tags.some((tag) => missing.includes(tag))).length;
  const list = counts.map(({ name, count }) => `${name} (${count})`).join(', ');
  return `${all} ${all === 1 ? 'test' : 'tests'} skipped, because these programs are missing: ${list}`;
}
