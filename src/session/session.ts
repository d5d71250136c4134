import type { Command } from 'commander';
import type { Client } from '../api/client.ts';
import { Failure } from '../errors.ts';
import type { Report } from '../events.ts';
import { hasJsonEvents } from '../formats.ts';
import type { Printer } from '../output/printer.ts';
import { createReporter } from '../output/reporter.ts';
import type { SharedLog } from '../pacing/log.ts';
import { configFolder } from '../settings/folders.ts';
import { sweepKeys } from '../settings/sweep.ts';
import {
  type Account,
  accountOf,
  chooseService,
  identityOf,
  type Service,
  sandboxIdentity,
} from './account.ts';
import { choose, type Tolerance } from './choices.ts';
import { type Host, hasColor, isUtf8 } from './host.ts';
import { type FoundKey, findKey } from './key.ts';
import { createLimitLine } from './limit-line.ts';
import { openLimitLog } from './limit-log.ts';
import { type CommonOptions, commonOptions } from './options.ts';
import { openOutput } from './output.ts';
import { type Profile, sandboxProfile } from './profile.ts';
import { embedSandbox } from './sandbox.ts';
import type { Setup } from './setting.ts';
import { type Listeners, openClient } from './stack.ts';

/** One run of one command, with all its settings resolved. */
export type Session = {
  readonly host: Host;
  readonly options: CommonOptions;
  readonly output: Printer;
  readonly report: Report;
  readonly profile: Profile;
  /** The key in force, undefined when there is none; runs no program that would print it. @throws Failure (config) */
  readonly key: () => Promise<FoundKey | undefined>;
  /** The way to the service. @throws Failure when no address or key is set. */
  readonly connect: () => Promise<Client>;
  /** The same with another service and key, for requests that are sent only once; `onRateLimit` as in Listeners. */
  readonly connectAs: (service: Service, onRateLimit: Listeners['onRateLimit']) => Promise<Client>;
  /** What this machine knows of the limit of the profile's key; without a request. @throws as connect */
  readonly limit: () => Promise<SharedLog>;
  /** Whose categories and whose limit it is; without a request. @throws as connect */
  readonly account: () => Promise<Account>;
};

/**
 * Runs a command's story in a session; whatever its end, the state of the limit is said.
 * @param story is given what is invalid in the settings file, too, where the command can do without it
 * @throws Failure where the settings are invalid beyond that
 */
export async function inSession(
  host: Host,
  command: Command,
  story: (session: Session, faults: readonly Failure[]) => Promise<void>,
  tolerance: Tolerance = {},
): Promise<void> {
  const options = commonOptions(command);
  const folder = configFolder(host.context);
  if (folder !== undefined) await sweepKeys(host.context, folder);
  const { choices, faults } = choose(host, options, tolerance);
  const { profile, format } = choices;
  const { context, sink } = host;
  host.format = format;
  const { report, end } = createReporter(context, sink, {
    json: hasJsonEvents(format),
    quiet: options.quiet ?? false,
    color: hasColor(context.stderr, context.env, options),
    unicode: isUtf8(context.env),
  });
  const limitLine = createLimitLine(context, report);
  try {
    const output = await openOutput(host, { options, format }, report, limitLine);
    const listeners = { onSent: output.preload, onRateLimit: limitLine.onRateLimit };
    const access = createAccess({ host, options, profile, report }, listeners);
    await story({ host, options, output, report, profile, ...access }, faults);
  } catch (error) {
    // It says itself when to retry, which may be later than the window's reset.
    if (error instanceof Failure && error.details.resetAt !== undefined) limitLine.drop();
    throw error;
  } finally {
    end();
    limitLine.say();
  }
}

type Access = Pick<Session, 'key' | 'connect' | 'connectAs' | 'limit' | 'account'>;

/** Each thing is chosen when it is first needed, once: a key on standard input can be read only once. */
function createAccess(setup: Setup, listeners: Listeners): Access {
  const sandbox = setup.profile.name === sandboxProfile;
  const key = once(() => findKey(setup));
  const service = once(() => (sandbox ? embedSandbox(setup) : chooseService(setup, key)));
  const identity = async () => (sandbox ? sandboxIdentity : identityOf(await service()));
  const limit = once(() => openLimitLog(setup, identity));
  const connect = () => openClient(setup, { service, limit }, listeners);
  const connectAs: Session['connectAs'] = (given, onRateLimit) => {
    const ends = {
      service: async () => given,
      limit: () => openLimitLog(setup, async () => identityOf(given)),
      once: true,
    };
    return openClient(setup, ends, { onSent: () => {}, onRateLimit });
  };
  const account = async () => accountOf(await identity());
  return { key, connect, connectAs, limit, account };
}

function once<Made>(make: () => Made): () => Made {
  let made: { readonly it: Made } | undefined;
  return () => {
    made ??= { it: make() };
    return made.it;
  };
}
