import type { RateLimit } from '../api/exchange.ts';
import type { Context } from '../context.ts';
import type { Report } from '../events.ts';
import type { Sink } from '../output/sink.ts';

export function createLimitLine({ stdout, stderr }: Context, report: Report) {
  let latest: RateLimit | undefined;
  const print = () => {
    if (latest) report({ event: 'rate_limit', ...latest });
    latest = undefined;
  };
  return {
    update(rateLimit: RateLimit): void {
      latest = rateLimit;
    },
    print,
    discard(): void {
      latest = undefined;
    },
    /**
     * Returns the sink for the result. If that goes to a pager, the line comes first: it would be written over the pager's screen.
     * We cannot wait for the pager to quit: it waits for us to close the pipe, and after that we can no longer observe it.
     */
    beforeResult: (sink: Sink): Sink => ({
      ...sink,
      print(lines) {
        if (stderr.isTTY && !stdout.isTTY) print();
        return sink.print(lines);
      },
    }),
  };
}
