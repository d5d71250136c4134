/** Watches whether two processes that are alive send in turns. */
export function watchCrowd() {
  const alive = new Set<string>();
  const sending = new Set<string>();
  let overlaps = 0;
  return {
    enter(sender: string): void {
      alive.add(sender);
    },
    leave(sender: string): void {
      alive.delete(sender);
      sending.delete(sender);
    },
    note(sender: string | undefined): void {
      // What a killed one had sent may arrive after its death.
      if (sender === undefined || !alive.has(sender)) return;
      sending.add(sender);
      if (sending.size > 1) overlaps += 1;
    },
    /** Writes that came while another process was at it, too. */
    overlaps: () => overlaps,
  };
}
