const maxNames = 3;

/** Never cuts a pair of surrogates. What may hold a secret is redacted before: nothing would find half of it. */
export function cutText(text: string, maxLength: number): string {
  if (text.length <= maxLength) return text;
  return `${text.slice(0, maxLength).replace(/[\ud800-\udbff]$/, '')}…`;
}

export function quoted(name: string): string {
  return `"${name}"`;
}

export function quoteSome(names: readonly string[]): string {
  const left = names.length - maxNames;
  return names.slice(0, maxNames).map(quoted).join(', ') + (left > 0 ? ` and ${left} more` : '');
}
