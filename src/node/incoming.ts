/** How much is held for the reader before its connection is read no further, in bytes. */
const mostUnread = 64 * 1024;

/** Stops and starts what a connection hands on. */
export type Flow = { readonly pause: () => void; readonly resume: () => void };

/** A body between its connection, which pushes the parts, and their one reader. */
export class Incoming {
  readonly #flow: Flow;
  #parts: Uint8Array[] = [];
  #unread = 0;
  #ended: { readonly error: unknown } | undefined;
  #wake = () => {};

  constructor(flow: Flow) {
    this.#flow = flow;
  }

  push(part: Uint8Array): void {
    this.#parts.push(part);
    this.#unread += part.length;
    if (this.#unread >= mostUnread) this.#flow.pause();
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
        if (this.#unread > 0) yield this.#take();
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

  /** What is unread, as one: a reader that keeps chunks of eight bytes would need many times their length. */
  #take(): Uint8Array {
    const [first, ...others] = this.#parts;
    const whole = first && others.length === 0 ? first : Buffer.concat(this.#parts);
    this.#parts = [];
    this.#unread = 0;
    return whole;
  }
}
