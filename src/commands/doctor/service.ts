import { listCategories } from '../../api/endpoints.ts';
import { chooseBaseUrl, chooseProxy } from '../../session/address.ts';
import { noKey } from '../../session/key.ts';
import { sandboxProfile } from '../../session/profile.ts';
import { refuseForSandbox } from '../../session/sandbox.ts';
import type { Session } from '../../session/session.ts';
import { chooseSetting } from '../../session/setting.ts';
import { type Finding, judge, shownSource, unknown } from './finding.ts';

/** The way to the service, without a request and without a program that prints the key: address, key and proxy. */
export async function examineWay(session: Session): Promise<Finding[]> {
  const { host, options, profile } = session;
  if (profile.name === sandboxProfile) {
    const sandbox = await judge('base url', () => {
      refuseForSandbox(options);
      return 'the built-in sandbox, with its own key';
    });
    return [sandbox];
  }
  const baseUrl = await judge('base url', () => {
    const { href } = chooseBaseUrl(session);
    const given = chooseSetting('base-url', session);
    return `${href} (${given && shownSource(given, profile)})`;
  });
  const key = await judge('api key', async () => {
    const found = await session.key();
    if (!found) throw noKey(profile);
    return `from ${found.source}`;
  });
  if (baseUrl.failure) return [baseUrl, key, unknown('proxy', 'unknown without a base URL')];

  const proxy = await judge('proxy', async () => {
    let none = 'none';
    const chosen = await chooseProxy(host, chooseBaseUrl(session), (message) => {
      none = message;
    });
    return chosen ? `${chosen.name} (${chosen.source})` : none;
  });
  return [baseUrl, key, proxy];
}

/** Spends a request: whether the service responds, and how fast. */
export async function askService({ host: { context }, connect }: Session): Promise<Finding> {
  return judge('service', async () => {
    const client = await connect();
    const start = context.uptime();
    const { length } = await client.call(listCategories, {});
    return `responded in ${Math.round(context.uptime() - start)} ms (200, ${length} categories)`;
  });
}
