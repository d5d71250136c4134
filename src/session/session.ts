import type { Command } from 'commander';
import type { Context } from '../context.ts';
import { Failure } from '../errors.ts';
import { warn } from '../events.ts';
import { type Format, hasJsonEvents } from '../formats.ts';
import { Printer } from '../output/printer.ts';
import { createReporter } from '../output/reporter.ts';
import type { Sink } from '../output/sink.ts';
import type { RateLimit } from '../request/exchange.ts';
import { listUnknownFields } from '../settings/file.ts';
import { type Connection, createConnection } from './connect.ts';
import { commonOptions, hasColor } from './options.ts';
import { addTarget, loadSettings, type Settings, type Setup } from './settings.ts';

export type App = {
  readonly context: Context;
  readonly sink: Sink;
  /** The command line contains `--`. */
  readonly isSeparated: boolean;
  format: Format | undefined;
};

export type Session = Setup &
  Connection & {
    readonly isSeparated: boolean;
    /** The reason why `settings` are not those that the user wants. Only commands that show or repair settings run with one. */
    readonly fault: Failure | undefined;
    readonly output: Printer;
  };

export type Kind = {
  /** The profile need not exist, since the command creates it. */
  readonly isNew?: boolean;
  /** The command runs with a fault in the settings file, which it warns of, shows or repairs. */
  readonly onFault?: 'warn' | 'go on';
  /** The format of the result unless the command line names one: the setting does not count. */
  readonly format?: Format;
};

/** Resolves the settings of a command and runs its action. However that ends, the state of the limit is printed. */
export async function runSession(
  app: App,
  command: Command,
  kind: Kind,
  action: (session: Session) => Promise<void>,
): Promise<void> {
  const { context, sink, isSeparated } = app;
  const { stdout, stderr } = context;
  const options = commonOptions(command);
  const { settings, fault, format: formatInForce } = loadSettings(context, options, kind);
  if (fault && !kind.onFault) throw fault;
  app.format = formatInForce;
  const { report, end: endStatus } = createReporter(context, sink, {
    json: hasJsonEvents(formatInForce, stderr),
    quiet: options.quiet ?? false,
    color: hasColor(stderr, context.env, options),
  });

  const { profile } = settings;
  const setup: Setup = { context, sink, options, settings, profile, report };
  let latestLimit: RateLimit | undefined;
  const printLimit = () => {
    if (latestLimit) report({ event: 'rate_limit', ...latestLimit });
    latestLimit = undefined;
  };
  const connection = createConnection(setup, (rateLimit) => {
    latestLimit = rateLimit;
  });
  const format = options.output === undefined ? (kind.format ?? formatInForce) : formatInForce;
  const resultSink: Sink = {
    ...sink,
    print(lines) {
      // With stderr alone on a terminal the limit comes first: a pager may draw the result on that terminal.
      if (stderr.isTTY && !stdout.isTTY) printLimit();
      return sink.print(lines);
    },
  };
  let failure: unknown;
  try {
    const output = await createOutput(setup, format, resultSink);
    await action({ ...setup, ...connection, isSeparated, fault, output });
  } catch (error) {
    const isFailure = error instanceof Failure;
    failure = isFailure ? error.with({ hint: addTarget(error.details.hint, setup) }) : error;
    throw failure;
  } finally {
    endStatus();
    const { message, details }: Partial<Failure> = failure instanceof Failure ? failure : {};
    const complaints = listComplaints(settings);
    if (fault && kind.onFault === 'warn') complaints.unshift(fault.message);
    for (const text of new Set(complaints)) if (text !== message) warn(report, text);
    // A failure may say when to try again, which may be later than the window's reset.
    if (details?.resetAt === undefined) printLimit();
  }
}

/** Returns what is wrong with the settings file although the command runs. */
export function listComplaints({ file }: Settings): string[] {
  const unknown = listUnknownFields(file.saved);
  const fields = `${file.path} has fields that are not known: ${unknown.join(', ')}`;
  const { message } = file.unreachable ?? file.open ?? {};
  return [...(message ? [message] : []), ...(unknown[0] ? [fields] : [])];
}

async function createOutput(setup: Setup, format: Format, sink: Sink): Promise<Printer> {
  const { query } = setup.options;
  const { createQuery } = query === undefined ? {} : await import('../query/query.ts');
  const run = createQuery?.(sink.redact(query ?? ''));
  return new Printer({ ...setup, ...setup.options, sink, format, query: run });
}
