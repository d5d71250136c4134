import type { Command } from 'commander';
import type { Context } from '../context.ts';
import { Failure } from '../errors.ts';
import { notice, type Report, warn } from '../events.ts';
import { type Format, hasJsonEvents } from '../formats.ts';
import { Printer } from '../output/printer.ts';
import { createReporter } from '../output/reporter.ts';
import type { Sink } from '../output/sink.ts';
import type { Query } from '../query/query.ts';
import type { RateLimit } from '../request/exchange.ts';
import { listUnknownFields } from '../settings/file.ts';
import { type App, hasColor } from './app.ts';
import { type Connection, createConnection } from './connect.ts';
import { type CommonOptions, commonOptions } from './options.ts';
import { loadSettings, type Settings, type Setup } from './settings.ts';

/** One run of one command. */
export type Session = Setup &
  Connection & {
    readonly isSeparated: boolean;
    /** The reason why `settings` are not those that the user wants. Only commands that show or repair settings run with one. */
    readonly fault: Failure | undefined;
    readonly format: Format;
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
  const options = commonOptions(command);
  const { settings, fault, formatInForce } = loadWithFormat(context, options, kind);
  if (fault && !kind.onFault) throw fault;
  app.format = formatInForce;
  const { report, end: endStatus } = createReporter(context, sink, {
    json: hasJsonEvents(formatInForce, context.stderr),
    quiet: options.quiet ?? false,
    color: hasColor(context.stderr, context.env, options),
  });
  if (fault && kind.onFault === 'warn') warn(report, fault.message);
  const { profile } = settings;
  const setup: Setup = { context, sink, options, settings, profile, report };
  const limitLine = createLimitLine(context, report);
  const format = options.output === undefined ? (kind.format ?? formatInForce) : formatInForce;
  let failure: unknown;
  try {
    await action({
      ...setup,
      ...createConnection(setup, limitLine.update),
      isSeparated,
      fault,
      format,
      output: await createOutput(setup, format, limitLine.beforeResult(sink)),
    });
  } catch (error) {
    failure = error;
    // The failure says when to try again, which may be later than the window's reset.
    if (error instanceof Failure && error.details.resetAt !== undefined) limitLine.discard();
    throw error;
  } finally {
    endStatus();
    const said = failure instanceof Failure ? failure.message : undefined;
    for (const text of listComplaints(settings)) if (text !== said) warn(report, text);
    limitLine.print();
  }
}

/** The format of the command line is not among the settings: `config list -o csv` shows that of other commands. */
function loadWithFormat(context: Context, { output, ...options }: CommonOptions, kind: Kind) {
  const { settings, fault } = loadSettings(context, options, kind);
  // Commander let no other word through.
  if (output !== undefined) return { settings, fault, formatInForce: output as Format };
  try {
    return { settings, fault, formatInForce: settings.get('output').value };
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return { settings, fault: fault ?? error, formatInForce: 'table' as const };
  }
}

/** Returns what is wrong with the settings file although the command runs. */
export function listComplaints({ file }: Settings): string[] {
  const unknown = listUnknownFields(file.saved);
  const fields = `${file.path} has fields that are not known: ${unknown.join(', ')}`;
  return [...(file.unreachable ? [file.unreachable.message] : []), ...(unknown[0] ? [fields] : [])];
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
  { context, options, report }: Setup,
  format: Format,
  sink: Sink,
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
  });
}

async function prepareQuery(expression: string, say: (message: string) => void): Promise<Query> {
  const { createQuery } = await import('../query/query.ts');
  return createQuery(expression, say);
}
