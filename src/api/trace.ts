import type { Context } from '../context.ts';
import type { Report } from '../events.ts';
import type { Exchange } from './exchange.ts';

/** Reports each request and its answer with the time it took; headers stay unsaid, so the key does too. */
export function trace(next: Exchange, context: Context, report: Report): Exchange {
  return async (request) => {
    const start = context.uptime();
    const say = (result: string) =>
      report({
        event: 'notice',
        message: `${request.method} ${request.url.href}: ${result} (${Math.round(context.uptime() - start)} ms)`,
      });
    try {
      const answer = await next(request);
      say(`${answer.status}, ${answer.bytes.length} bytes`);
      return answer;
    } catch (error) {
      say(error instanceof Error ? error.message : 'failed');
      throw error;
    }
  };
}
