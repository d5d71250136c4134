import { createPace } from '../../../import/pace.ts';
import type { Plan } from '../../../import/plan.ts';
import type { Session } from '../../../session/session.ts';
import type { KnownLimit } from './limits.ts';

/** Tells how far the whole import has come, each time the fate of a row becomes known. */
export function followProgress({ host, report }: Session, plan: Plan, limit: KnownLimit) {
  const pace = createPace(host.context.uptime, limit.minute?.limit);
  let done = plan.intentions.filter((intention) => intention === 'created_before').length;
  const total = done + plan.create.length;
  return {
    step() {
      done += 1;
      report({ event: 'progress', done, total, ...pace(total - done) });
    },
    end() {
      const unknown = { rate: undefined, leftMs: undefined };
      report({ event: 'progress', done, total, ...unknown, over: true });
    },
  };
}
