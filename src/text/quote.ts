const maxNames = 3;

export function quoted(name: string): string {
  return `"${name}"`;
}

/** `"a", "b", "c" and 5 more` */
export function quoteSome(names: readonly string[]): string {
  const left = names.length - maxNames;
  return names.slice(0, maxNames).map(quoted).join(', ') + (left > 0 ? ` and ${left} more` : '');
}
