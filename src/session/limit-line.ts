import type { RateLimit } from '../api/exchange.ts';
import type { Context } from '../context.ts';
import type { Report } from '../events.ts';
import type { Sink } from '../output/sink.ts';

/** Reports the latest state of the limit, once. */
export type LimitLine = {
  readonly onRateLimit: (rateLimit: RateLimit) => void;
  readonly say: () => void;
  /** Leaves it unsaid. */
  readonly drop: () => void;
  /** The sink for a result: reports it first where the result may be read in a pager. */
  readonly beforeResult: (sink: Sink) => Sink;
};

/**
 * The line belongs after the result. But where that goes into a pipe and stderr to a terminal, a pager may be at work there,
 * and would have the line in the midst of its screen. It cannot be held until the pager ends either: that waits for the end of
 * our output, and once a pipe is closed nothing tells of its reader.
 */
export function createLimitLine({ stdout, stderr }: Context, report: Report): LimitLine {
  let unsaid: RateLimit | undefined;

  function say(): void {
    if (unsaid) report({ event: 'rate_limit', ...unsaid });
    unsaid = undefined;
  }

  return {
    onRateLimit(rateLimit) {
      unsaid = rateLimit;
    },
    say,
    drop() {
      unsaid = undefined;
    },
    beforeResult: (sink) => ({
      ...sink,
      print(lines) {
        if (stderr.isTTY && !stdout.isTTY) say();
        return sink.print(lines);
      },
    }),
  };
}
