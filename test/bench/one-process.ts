import { auth } from '../../src/api/auth.ts';
import { createClient } from '../../src/api/client.ts';
import { deliver } from '../../src/api/deliver.ts';
import { createCategory } from '../../src/api/endpoints.ts';
import { retry } from '../../src/api/retry.ts';
import { createNodeContext } from '../../src/node/node-context.ts';
import { gate } from '../../src/pacing/gate.ts';
import { openFileLog } from '../../src/pacing/log.ts';
import type { Service } from './service.ts';

/** Creates that many categories from this one process, 20 at a time, as fast as the limit allows. */
export async function createAll(service: Service, folder: string, creates: number): Promise<void> {
  const { context, close } = createNodeContext(new AbortController().signal);
  const baseUrl = new URL(service.url);
  const key = { value: service.key, source: 'the bench' };
  const report = () => {};
  const timeout = 30_000;
  const once = auth(deliver(context, timeout), key, baseUrl.origin);
  const log = openFileLog(folder, 'one-process');
  const exchange = retry(gate(once, context, { log, report, timeout }), context, report);
  const maxWait = Number.POSITIVE_INFINITY;
  const client = createClient({
    context,
    exchange,
    baseUrl,
    key,
    maxWait,
    userAgent: 'bench',
    report,
  });

  const waiting = Array.from({ length: creates }, (_, n) => `category-${n}`);
  await Promise.all(
    Array.from({ length: 20 }, async () => {
      for (let name = waiting.shift(); name !== undefined; name = waiting.shift()) {
        await client.call(createCategory, { body: { name } });
      }
    }),
  );
  close();
}
