import { timeFor } from '../../../import/forecast.ts';
import { createPace } from '../../../import/pace.ts';
import type { Plan } from '../../../import/plan.ts';
import { followLimit } from './follow-limit.ts';
import type { ImportRequest } from './import-request.ts';
import { knownLimit } from './known-limit.ts';

/** Reports how far the whole import has come: at its start, and each time the fate of a row becomes known. */
export async function followProgress({ session, plan: quotas }: ImportRequest, plan: Plan) {
  const { report } = session;
  const { uptime } = session.context;
  const limit = await followLimit(uptime, () => knownLimit(session, quotas));
  const pace = createPace(uptime, limit.now().minute?.limit);
  let done = plan.intentions.filter((intention) => intention === 'created_before').length;
  const total = done + plan.create.length;
  // The last request is that of a list.
  const timeLeft = (each?: number) => timeFor(total - done + 1, limit.now(), each);
  report({ event: 'progress', done, total, rate: undefined, leftMs: timeLeft() });
  return {
    step() {
      done += 1;
      const { rate, each } = pace(limit.spend());
      report({ event: 'progress', done, total, rate, leftMs: timeLeft(each) });
    },
    end() {
      const unknown = { rate: undefined, leftMs: undefined };
      report({ event: 'progress', done, total, ...unknown, over: true });
    },
  };
}
