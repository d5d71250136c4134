import type { Report } from '../events.ts';
import { hideSecrets } from '../output/hide-secrets.ts';
import { createPrinter } from '../output/printer.ts';
import type { Printer } from '../output/results.ts';
import type { Choices } from './choices.ts';
import { type Host, hasColor, isUtf8 } from './host.ts';
import type { LimitLine } from './limit-line.ts';

type Opened = {
  readonly output: Printer;
  /** Begins to load what it needs. */
  readonly preload: () => void;
};

/** Opens the printer of a session. @throws Failure (output), Failure (usage) if --query is invalid */
export async function openOutput(
  { context, sink }: Host,
  { options, format }: Pick<Choices, 'options' | 'format'>,
  report: Report,
  limitLine: LimitLine,
): Promise<Opened> {
  const layout = { format, columns: options.columns };
  const printer = createPrinter(context, limitLine.beforeResult(sink.laid), report, {
    ...layout,
    color: hasColor(context.stdout, context.env, options),
    ascii: !isUtf8(context.env),
    header: options.header ?? true,
    wide: options.wide ?? false,
  });
  const { preload } = printer;
  const output = hideSecrets(printer, sink);
  if (options.query === undefined) return { output, preload };
  const { queried } = await import('../output/queried.ts');
  // Secrets are cut out of what the expression is given, and out of what it makes: it may have one in it.
  return { output: hideSecrets(queried(output, options.query, layout), sink), preload };
}
