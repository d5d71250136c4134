import type { Command } from 'commander';
import type { Context } from '../context.ts';
import { Failure } from '../errors.ts';
import { notice, type Report } from '../events.ts';
import { type Format, hasJsonEvents } from '../formats.ts';
import { Printer } from '../output/printer.ts';
import { createReporter } from '../output/reporter.ts';
import type { Sink } from '../output/sink.ts';
import type { Query } from '../query/query.ts';
import type { RateLimit } from '../request/exchange.ts';
import { type App, hasColor, isUtf8 } from './app.ts';
import {
  chooseProfile,
  loadSettingsFile,
  locateSettingsFile,
  type SettingsFile,
} from './chosen-profile.ts';
import { type Connection, createConnection } from './connect.ts';
import { type CommonOptions, commonOptions } from './options.ts';
import { getSetting, type Invocation } from './resolve.ts';

export type Session = Invocation &
  Connection & {
    readonly isSeparated: boolean;
    readonly settingsFile: SettingsFile;
    readonly faults: readonly Failure[];
    readonly format: Format;
    readonly output: Printer;
    readonly report: Report;
  };

export type Allow = {
  /** The profile need not exist, since the command creates it. */
  readonly newProfile?: boolean;
  /** The command runs despite an invalid setting in the file, since it shows or repairs settings. */
  readonly invalidSettings?: boolean;
  /** A settings file that cannot be read counts as empty. */
  readonly unreadableFile?: boolean;
};

/** Returns the action of a command: it gets a session before the arguments and options that Commander passes. */
export function withSession<Args extends readonly unknown[]>(
  app: App,
  command: Command,
  action: (session: Session, ...args: Args) => Promise<void>,
  allow: Allow = {},
): (...args: Args) => Promise<void> {
  return (...args) => runSession(app, command, (session) => action(session, ...args), allow);
}

/** Resolves the settings of a command and runs its action. However that ends, the state of the limit is printed. */
async function runSession(
  app: App,
  command: Command,
  action: (session: Session) => Promise<void>,
  allow: Allow,
): Promise<void> {
  const { context, sink } = app;
  const options = commonOptions(command);
  const { settingsFile, profile, format, faults } = resolveStart(app, options, allow);
  app.format = format;
  const invocation = { context, sink, options, profile };
  const { report, end: endStatus } = createReporter(context, sink, {
    json: hasJsonEvents(format, context.stderr),
    quiet: options.quiet ?? false,
    color: hasColor(context.stderr, context.env, options),
    unicode: isUtf8(context.env),
  });
  const limitLine = createLimitLine(context, report);
  const connection = createConnection(invocation, { report, onRateLimit: limitLine.update });
  try {
    const output = await createOutput(invocation, format, limitLine.beforeResult(sink), report);
    const { isSeparated } = app;
    const resolved = { settingsFile, faults, format, report, output, isSeparated };
    await action({ ...invocation, ...connection, ...resolved });
  } catch (error) {
    // The failure says when to try again, which may be later than the window's reset.
    if (error instanceof Failure && error.details.resetAt !== undefined) limitLine.discard();
    throw error;
  } finally {
    endStatus();
    limitLine.print();
  }
}

function resolveStart({ context }: App, options: CommonOptions, allow: Allow) {
  const faults: Failure[] = [];
  const tolerated = allow.invalidSettings ? faults : undefined;
  const settingsFile = resolveOr(
    () => loadSettingsFile(context),
    () => locateSettingsFile(context),
    allow.unreadableFile ? faults : undefined,
  );
  const isNew = allow.newProfile || faults.length > 0;
  const settings = { ...settingsFile.settings, 'default-profile': undefined };
  const profile = resolveOr(
    () => chooseProfile(context, options, settingsFile, isNew),
    () => chooseProfile(context, options, { ...settingsFile, settings }, isNew),
    tolerated,
  );
  const format = resolveOr<Format>(
    () => getSetting('output', { context, options, profile }).value,
    () => 'table',
    tolerated,
  );
  return { settingsFile, profile, format, faults };
}

/** Resolves without the invalid setting if there is a list of faults, and adds the failure to it. */
function resolveOr<Value>(
  resolve: () => Value,
  resolveWithout: () => Value,
  faults: Failure[] | undefined,
): Value {
  try {
    return resolve();
  } catch (error) {
    if (!(error instanceof Failure) || !faults) throw error;
    // This throws as well if a flag or a variable names a profile that does not exist.
    const value = resolveWithout();
    faults.push(error);
    return value;
  }
}

function createLimitLine({ stdout, stderr }: Context, report: Report) {
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
    /** Returns the sink for the result. With stderr alone on a terminal the line comes first: a pager may draw on that terminal. */
    beforeResult: (sink: Sink): Sink => ({
      ...sink,
      print(lines) {
        if (stderr.isTTY && !stdout.isTTY) print();
        return sink.print(lines);
      },
    }),
  };
}

async function createOutput(
  { context, options }: Invocation,
  format: Format,
  sink: Sink,
  report: Report,
): Promise<Printer> {
  const { query, columns, header = true } = options;
  const say = (message: string) => notice(report, message);
  return new Printer({
    context,
    sink,
    notice: say,
    format,
    columns,
    query: query === undefined ? undefined : await prepareQuery(sink.redact(query), say),
    header,
    framed: isUtf8(context.env),
  });
}

async function prepareQuery(expression: string, say: (message: string) => void): Promise<Query> {
  const { createQuery } = await import('../query/query.ts');
  return createQuery(expression, say);
}
