import type { Report } from '../events.ts';
import type { Format } from '../formats.ts';
import { hideSecrets } from '../output/hide-secrets.ts';
import { createPrinter, type PrinterOptions } from '../output/printer.ts';
import type { Printer } from '../output/results.ts';
import type { Outlet, Sink } from '../output/sink.ts';
import type { Choices } from './choices.ts';
import { type Host, hasColor, isUtf8 } from './host.ts';
import type { LimitLine } from './limit-line.ts';
import type { CommonOptions } from './options.ts';

type Other = {
  readonly format?: Format;
  /** Unless some are asked for, or --query makes others. */
  readonly columns?: readonly string[];
  /** Another way out than stdout. */
  readonly sink?: Sink;
};

export type Outputs = {
  /** A printer as the options ask for, but for what is given here. @throws Failure (usage) when --query is invalid */
  readonly outputAs: (other: Other) => Printer;
  /** Begins to load what the last one of them needs. */
  readonly preload: () => void;
};

type Layout = Pick<PrinterOptions, 'format' | 'columns'>;

/** What makes the printers of a session. @throws Failure (output) */
export async function openOutputs(
  { context, sink }: Host,
  { options, format }: Pick<Choices, 'options' | 'format'>,
  report: Report,
  limitLine: LimitLine,
): Promise<Outputs> {
  const throughQuery = await loadQuery(options, sink);
  let printer: Printer | undefined;
  return {
    outputAs(other) {
      const columns = options.query === undefined ? other.columns : undefined;
      const layout = { format: other.format ?? format, columns: options.columns ?? columns };
      printer = createPrinter(context, other.sink ?? limitLine.beforeResult(sink.laid), report, {
        ...layout,
        color: hasColor(context.stdout, context.env, options),
        ascii: !isUtf8(context.env),
        header: options.header ?? true,
        wide: options.wide ?? false,
      });
      return throughQuery(hideSecrets(printer, sink), layout);
    },
    preload: () => printer?.preload(),
  };
}

/** What has a printer print what --query picks, where one is given. @throws Failure (output) */
async function loadQuery(
  { query }: CommonOptions,
  sink: Outlet,
): Promise<(output: Printer, layout: Layout) => Printer> {
  if (query === undefined) return (output) => output;
  const { queried } = await import('../output/queried.ts');
  // Secrets are cut out of what the expression is given, and out of what it makes: it may have one in it.
  return (output, layout) => hideSecrets(queried(output, query, layout), sink);
}
