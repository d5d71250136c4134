import { randomBytes } from 'node:crypto';
import type { Context, Engine } from '../../context.ts';
import { describeStoreError } from '../../pacing/store/describe-error.ts';
import { readReply, storeScript } from '../../pacing/store/script.ts';
import { withTimeout } from '../../pacing/store/timeout.ts';
import { chooseLimitStore, openPassword } from '../../session/limit-log.ts';
import type { Session } from '../../session/session.ts';
import { chooseSetting } from '../../session/setting.ts';
import { type Finding, judge, ok, shownSource, unset, warn } from './finding.ts';

const check = 'limit store';
const unknown = { version: 'version unknown', policy: undefined };

/** Whether machines share the limit, and whether the store that they do it through works. */
export function examineStore(session: Session): Promise<Finding> {
  const { context } = session.host;
  return judge(check, async () => {
    const store = chooseLimitStore(session);
    if (!store) return unset(check, 'not set: the rate limit is shared on this machine only');
    const given = chooseSetting('limit-store', session);
    const named = `${store.name} (${given && shownSource(given, session.profile)})`;
    const engine = await context.openEngine(store.address);
    try {
      const { answered, fault } = await tryOut(engine, context);
      const faults = [openPassword(store), fault].filter((text) => text !== undefined);
      const finding = [`${named} ${answered}`, ...faults].join('; ');
      return faults.length > 0 ? warn(check, finding) : ok(check, finding);
    } catch (error) {
      const trouble = `${named} ${describeStoreError(error)}`;
      return warn(
        check,
        `${trouble}: each machine counts on its own and leaves 10% of the limit to the others`,
      );
    } finally {
      engine.drop();
    }
  });
}

/** Makes a new log there that expires by itself: the only proof that the store takes lines. @throws as Engine */
async function tryOut(engine: Engine, context: Context) {
  const start = context.uptime();
  const name = `petstore:lim:doctor:${randomBytes(8).toString('hex')}`;
  const fresh = [...['', '0', '', '{}', ''], 'doctor', '60'];
  readReply(await withTimeout(context, engine, engine.run(storeScript, name, fresh)));
  const answered = `responds in ${Math.ceil(context.uptime() - start)} ms`;
  // Not every user there may ask for it.
  const { version, policy } = await withTimeout(context, engine, engine.about()).catch(
    () => unknown,
  );
  const evicts = policy !== undefined && policy !== 'noeviction';
  return {
    answered: `${answered} (${version})`,
    fault: evicts
      ? `its maxmemory-policy is ${policy}, so it may evict the log; set it to noeviction`
      : undefined,
  };
}
