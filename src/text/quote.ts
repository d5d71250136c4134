const maxNameLength = 40;

export function quoted(name: string): string {
  return name.length > maxNameLength ? `"${name.slice(0, maxNameLength)}…"` : `"${name}"`;
}
