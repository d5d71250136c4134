/** Stops and starts what a connection hands on. */
export type Flow = { readonly pause: () => void; readonly resume: () => void };

/** A body between its connection, which pushes the parts, and their one reader. */
export class Incoming {
  readonly #flow: Flow;
  readonly #parts: Uint8Array[] = [];
  #ended: { readonly error: unknown } | undefined;
  #wake = () => {};

  constructor(flow: Flow) {
    this.#flow = flow;
  }

  push(part: Uint8Array): void {
    this.#parts.push(part);
    this.#flow.pause();
    this.#wake();
  }

  /** No part follows: the body is whole, or fails with `error` once its parts are read. The first call counts. */
  end(error?: unknown): void {
    this.#ended ??= { error };
    this.#wake();
  }

  /** All of it, in as few parts as it came by now. Calls `giveUp` when the reader stops before the end. */
  async *read(giveUp: () => void): AsyncGenerator<Uint8Array> {
    try {
      for (;;) {
        // As one: a reader that keeps chunks of eight bytes would need many times their length.
        if (this.#parts.length > 0) yield Buffer.concat(this.#parts.splice(0));
        else if (this.#ended?.error) throw this.#ended.error;
        else if (this.#ended) return;
        else {
          const more = new Promise<void>((resolve) => {
            this.#wake = resolve;
          });
          this.#flow.resume();
          await more;
        }
      }
    } finally {
      if (!this.#ended) giveUp();
    }
  }
}
