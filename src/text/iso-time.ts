/** "2026-11-20T15:04:05Z", from ms since 1970; a part of a second is left out. */
export function isoTime(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, -5)}Z`;
}

/** The same for the end of a wait: who comes back then is never early. */
export function isoEnd(ms: number): string {
  return isoTime(Math.ceil(ms / 1_000) * 1_000);
}
