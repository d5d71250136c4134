/** Watches whether two processes that are alive write in turns. */
export function watchCrowd() {
  const alive = new Set<string>();
  const writing = new Set<string>();
  let writes = 0;
  let overlaps = 0;
  return {
    enter: (sender: string) => void alive.add(sender),
    leave(sender: string): void {
      alive.delete(sender);
      writing.delete(sender);
    },
    note(sender: string | undefined): void {
      writes += 1;
      // A write of a killed process may arrive after its death.
      if (sender === undefined || !alive.has(sender)) return;
      writing.add(sender);
      if (writing.size > 1) overlaps += 1;
    },
    writes: () => writes,
    /** How many writes came while another process was at it, too. */
    overlaps: () => overlaps,
  };
}
