const maxNameLength = 40;

/** Returns a name of a file or the service in quotes, cut if it is long. */
export function quoted(name: string): string {
  return name.length > maxNameLength ? `"${name.slice(0, maxNameLength)}…"` : `"${name}"`;
}
