import { Command, CommanderError } from 'commander';
import { plantCommands } from './commands/index.ts';
import { describeUsageError } from './commands/usage.ts';
import type { Context } from './context.ts';
import { Exit, Failure, Interruption, interruptedFailure, usageFailure } from './errors.ts';
import { isFormat } from './formats.ts';
import { reportFailure } from './output/reporter.ts';
import { createSink, type Sink } from './output/sink.ts';
import type { Host } from './session/host.ts';
import { version } from './version.ts';

/** Runs one command line and resolves with its exit code. The only place where errors become text. */
export async function run(argv: readonly string[], context: Context): Promise<number> {
  const sink = createSink(context);
  sink.hide(context.env.PETSTORE_API_KEY ?? '');
  const host: Host = { context, sink, format: undefined };
  const help: string[] = [];
  const verbose = argv.includes('--verbose') || argv.includes('-v');
  const program = createProgram(host, (text) => help.push(text));
  try {
    await parse();
    return 0;
  } catch (error) {
    return end(await explain(error));
  } finally {
    await sink.flush();
  }

  async function parse(): Promise<void> {
    // Commander's own `help` would show a verb that is not loaded.
    const words = argv[0] === 'help' ? [...argv.slice(1), '--help'] : argv;
    await program.parseAsync(words, { from: 'user' });
  }

  /** What an error means: an exit without words, or a failure. */
  async function explain(error: unknown): Promise<Exit | Failure> {
    if (error instanceof Exit || error instanceof Failure) return error;
    if (error instanceof Interruption) return interruptedFailure(context.signal, {});
    if (error instanceof CommanderError) return explainUsage(error);
    return new Failure('internal', `internal error: ${String(error)}`, {
      hint: 'This is a bug in petstore. Please report it with what --verbose says.',
      cause: error,
    });
  }

  async function explainUsage(error: CommanderError): Promise<Exit | Failure> {
    const helpLines = help.join('').trimEnd().split('\n');
    if (error.exitCode === 0) {
      return sink.print(helpLines).then(
        () => new Exit(0),
        (failure) => explain(failure),
      );
    }
    if (error.code !== 'commander.help') return describeUsageError(error, program, argv);
    if (!wantsJson()) for (const line of helpLines) sink.say(line);
    return wantsJson() ? usageFailure('no command given', 'petstore --help') : new Exit(2);
  }

  function end(result: Exit | Failure): number {
    if (result instanceof Failure) {
      if (result.cause instanceof Error && verbose) sayStack(sink, result.cause);
      reportFailure(sink, result, wantsJson());
    }
    return result.exitCode;
  }

  /** The format in force or, where the command line was not understood, the one it seems to ask for. */
  function wantsJson(): boolean {
    if (host.format) return host.format !== 'table';
    const asked = /(?:^| )(?:-o ?|--output[ =])(\w+)(?: |$)/.exec(argv.join(' '))?.[1];
    const format = argv.includes('--json') ? 'json' : (asked ?? context.env.PETSTORE_OUTPUT ?? '');
    return isFormat(format) && format !== 'table';
  }
}

function sayStack(sink: Sink, { stack = '' }: Error): void {
  for (const line of stack.split('\n')) sink.say(sink.show(line));
}

function createProgram(host: Host, onText: (text: string) => void): Command {
  const program = new Command('petstore')
    .description('Administer the categories of the pet store service.')
    .version(version, '-V, --version', 'show the version')
    .helpOption('-h, --help', 'show this help')
    .helpCommand(false)
    .exitOverride()
    .configureOutput({ writeOut: onText, writeErr: onText, outputError: () => {} })
    .enablePositionalOptions();
  plantCommands(program, host);
  return program;
}
