import { Command, CommanderError } from 'commander';
import { printPage } from './commands/help.ts';
import { createProgram } from './commands/program.ts';
import type { Context } from './context.ts';
import { asFailure, bugHint, Exit, Failure, usageFailure } from './errors.ts';
import { notice } from './events.ts';
import { type Format, formats, hasJsonEvents } from './formats.ts';
import { createReporter, reportFailure } from './output/reporter.ts';
import { createSink, type Sink } from './output/sink.ts';
import { type CommonOptions, hasColor, refuseOptionsAsValues } from './session/options.ts';
import type { App } from './session/session.ts';

/** Runs one command line and resolves with its exit code. A failure that ends the run is reported here. */
export async function run(argv: readonly string[], context: Context): Promise<number> {
  const options = readDisplayOptions(argv);
  const sink = createSink(context, (output) => hasColor(output, context.env, options));
  sink.hide(context.env.PETSTORE_API_KEY ?? '');
  // For failures before there is a session, which replaces the format by the one in force.
  const named = options.output ?? context.env.PETSTORE_OUTPUT;
  const format = formats.find((format) => format === named);
  const isSeparated = argv.includes('--');
  const app: App = { context, sink, isSeparated, format };
  const say = (message: string) => {
    const style = { json: isJson(app), quiet: false, color: false };
    notice(createReporter(context, sink, style).report, message);
  };
  if (options.verbose) context.onWarning((warning) => say(`Node.js warning: ${warning}`));

  try {
    await runCommand(app, argv);
    await sink.flush();
    // The work is done, but a shell loop around it must not go on after Ctrl-C.
    return context.signal.aborted ? context.signal.reason.exitCode : 0;
  } catch (error) {
    if (error instanceof Exit) return sink.flush().then(() => error.exitCode);
    const failure = toFailure(error, context);
    await hideStoredKeys(sink, context);
    app.format ??= await formatInSettings(context, options);
    const isBug = failure.kind === 'internal' && error instanceof Error;
    if (options.verbose && isBug) error.stack?.split('\n').forEach(say);
    reportFailure(sink, failure, isJson(app));
    await sink.flush();
    return failure.exitCode;
  }
}

/** Reads the options that decide how a failure is shown, wherever they stand: Commander stops at the first value that is wrong. */
function readDisplayOptions(argv: readonly string[]): CommonOptions {
  const reader = new Command()
    .exitOverride()
    .configureOutput({ writeErr: () => {} })
    .option('-o, --output <format>')
    .option('--json')
    .option('-p, --profile <name>')
    .option('-q, --quiet')
    .option('-v, --verbose')
    .option('--no-color');
  reader.on('option:json', () => reader.setOptionValue('output', 'json'));
  try {
    reader.parseOptions([...argv]);
  } catch {
    // The last option lacks its value, which the program will say.
  }
  return reader.opts();
}

async function runCommand(app: App, argv: readonly string[]): Promise<void> {
  const help: string[] = [];
  const program = createProgram(app, (text) => help.push(text));
  program.hook('preAction', (_, command) => refuseOptionsAsValues(command, argv));
  try {
    await program.parseAsync(argv, { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    const text = help.join('');
    if (error.exitCode !== 0) {
      if (error.code !== 'commander.help') {
        const { toUsageFailure } = await import('./commands/usage.ts');
        throw toUsageFailure(error, text);
      }
      // Without a verb, `petstore categories` asks for help on a terminal. In a script a variable may have been empty, so it fails.
      const isHelp = app.context.stdout.isTTY && !argv.some((word) => word.startsWith('-'));
      const [, path] = /^Usage: (.*) <command>/m.exec(text) ?? [];
      if (!isHelp) throw usageFailure('no command given', `See: ${path} --help`);
    }
    return printPage(app, text);
  }
}

function toFailure(error: unknown, { signal }: Context): Failure {
  const message = `unexpected internal error: ${String(error)}`;
  const details = { hint: bugHint, cause: error };
  const failure = asFailure(error) ?? new Failure('internal', message, details);
  return signal.aborted ? failure.with({ exitCode: signal.reason.exitCode }) : failure;
}

function isJson({ format, context }: App): boolean {
  return hasJsonEvents(format, context.stderr);
}

/** An error repeats the words that were typed. One of them may be a stored key in the wrong place. */
async function hideStoredKeys(sink: Sink, context: Context): Promise<void> {
  try {
    const { configFolder } = await import('./settings/folders.ts');
    const { listStoredKeys } = await import('./settings/keys.ts');
    for (const key of listStoredKeys(context, configFolder(context) ?? '')) sink.hide(key);
  } catch {
    // Without a folder for settings no key is stored.
  }
}

async function formatInSettings(
  context: Context,
  { profile }: CommonOptions,
): Promise<Format | undefined> {
  try {
    const { loadSettings } = await import('./session/settings.ts');
    return loadSettings(context, profile ? { profile } : {}).format;
  } catch {
    return undefined;
  }
}
