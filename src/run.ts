import { CommanderError } from 'commander';
import { UsageError } from './commands/complaint.ts';
import { printPage } from './commands/page.ts';
import { createProgram } from './commands/program.ts';
import { wordsForHelp } from './commands/words.ts';
import type { Context } from './context.ts';
import {
  Exit,
  Failure,
  Interruption,
  interruptedFailure,
  loadFailure,
  systemCode,
  usageFailure,
} from './errors.ts';
import { notice } from './events.ts';
import { hasJsonEvents, isFormat } from './formats.ts';
import { createReporter, reportFailure } from './output/reporter.ts';
import { createSink } from './output/sink.ts';
import { type Host, hasColor } from './session/host.ts';
import { settings } from './settings/table.ts';

/** Runs one command line and resolves with its exit code. The only place where errors become text. */
export async function run(argv: readonly string[], context: Context): Promise<number> {
  const help: string[] = [];
  const options = argv.includes('--') ? argv.slice(0, argv.indexOf('--')) : argv;
  const color = !options.includes('--no-color');
  const sink = createSink(context, (output) => hasColor(output, context.env, { color }));
  sink.hide(context.env[settings['api-key'].variable] ?? '');
  const host: Host = { context, sink, format: undefined };
  const verbose = options.includes('--verbose') || options.includes('-v');
  if (verbose) context.onWarning((warning) => say(`Node.js warning: ${sink.redact(warning)}`));
  const program = createProgram(host, (text) => help.push(text), argv);
  try {
    await parse();
    await sink.flush();
    // Done, but whoever interrupted it wants to stop: a shell loop must not go on.
    return context.signal.aborted ? interruptedFailure(context.signal, {}).exitCode : 0;
  } catch (error) {
    const result = await advise(afterInterruption(await explain(error)));
    if (result instanceof Failure) await learnFormat();
    const exitCode = end(result);
    await sink.flush();
    return exitCode;
  }

  async function parse(): Promise<void> {
    // Commander takes flags in one word apart letter by letter, and copies the rest of the word each time.
    if (options.some((word) => /^-[qvhV]{100}/.test(word))) {
      throw usageFailure('the same flag is repeated more than 100 times', 'petstore --help');
    }
    await program.parseAsync(wordsForHelp(program, argv), { from: 'user' });
  }

  /** What an error means: an exit without words, or a failure. */
  async function explain(error: unknown): Promise<Exit | Failure> {
    if (error instanceof Exit || error instanceof Failure) return error;
    if (error instanceof Interruption) return interruptedFailure(context.signal, {});
    if (error instanceof CommanderError) return explainUsage(error);
    const failure = loadFailure(error);
    if (failure) return failure;
    return new Failure('internal', `unexpected internal error: ${sink.redact(String(error))}`, {
      hint: 'This is a bug in petstore. Please report it with the output of --verbose.',
      cause: error,
    });
  }

  /** What failed is said; that the run was interrupted is what the exit code tells. */
  function afterInterruption(result: Exit | Failure): Exit | Failure {
    if (!context.signal.aborted || result instanceof Exit) return result;
    const { exitCode } = interruptedFailure(context.signal, {});
    return result.with({ exitCode });
  }

  /** Where the system refused and nothing better is known, the next thing is to have it allow that. */
  async function advise(result: Exit | Failure): Promise<Exit | Failure> {
    if (result instanceof Exit || result.details.hint !== undefined) return result;
    const { cause } = result.details;
    if (systemCode(cause) === undefined) return result;
    // What failed is said without it, too.
    const advice = await import('./disk/denied.ts').catch(() => undefined);
    const fault = advice?.faultOfAccess(cause, context.uid);
    return fault ? result.with({ hint: `${fault.message}. Fix: ${fault.fix}` }) : result;
  }

  async function explainUsage(error: CommanderError): Promise<Exit | Failure> {
    if (!(error instanceof UsageError)) return show(help.join(''));
    if (isCallForHelp(error)) return show(error.command.helpInformation());
    return import('./commands/usage.ts').then(
      ({ describeUsageError }) => describeUsageError(error, argv),
      (failure) => explain(failure),
    );
  }

  /** Names alone, typed at a terminal, as with gh and kubectl. In a script a variable was empty, which must not pass for success. */
  function isCallForHelp({ code }: UsageError): boolean {
    const names = argv.every((word) => !word.startsWith('-'));
    return code === 'commander.help' && names && context.stdout.isTTY;
  }

  function show(page: string): Promise<Exit | Failure> {
    return printPage(host, page).then(
      () => new Exit(0),
      (failure) => explain(failure),
    );
  }

  function end(result: Exit | Failure): number {
    if (result instanceof Failure) {
      if (result.kind === 'internal' && verbose) sayStack(result.cause);
      reportFailure(sink, result, wantsJson());
    }
    return result.exitCode;
  }

  function sayStack(error: unknown): void {
    const { stack = '' } = error instanceof Error ? error : {};
    for (const line of sink.redact(stack).split('\n')) say(line);
  }

  function say(message: string): void {
    const options = { json: wantsJson(), quiet: false, color: false, unicode: false };
    notice(createReporter(context, sink, options).report, message);
  }

  /** The format in force or, where the command line was not understood, the one it seems to ask for. */
  function wantsJson(): boolean {
    const format = host.format ?? askedFormat() ?? '';
    return isFormat(format) && hasJsonEvents(format);
  }

  function askedFormat(): string | undefined {
    return lastFor('o', 'output', options) ?? context.env[settings.output.variable];
  }

  /** Where neither command line nor environment name a format, the settings may. */
  async function learnFormat(): Promise<void> {
    if (host.format !== undefined || askedFormat() !== undefined) return;
    const profile = lastFor('p', 'profile', options);
    host.format = await import('./session/settings-format.ts')
      .then(({ settingsFormat }) => settingsFormat(host, profile === undefined ? {} : { profile }))
      // What is wrong with the settings is not what failed.
      .catch(() => undefined);
  }
}

/** The value of the last word for an option: of `output` as -o json, -qojson, --output=json, --json. */
function lastFor(letter: string, name: string, words: readonly string[]): string | undefined {
  // No two parts of it can match the same characters, so that the longest word takes no more than its length.
  const form = new RegExp(`^(?:-[qv]*${letter}|--${name}(?:$|=))(.*)$`, 's');
  return words.reduce<string | undefined>((asked, word, at) => {
    if (name === 'output' && word === '--json') return 'json';
    const [flag, value] = form.exec(word) ?? [];
    return flag === undefined ? asked : value || words[at + 1];
  }, undefined);
}
