import { notice, type Report } from '../events.ts';
import { createPrinter, type Printer } from '../output/printer.ts';
import type { Choices } from './choices.ts';
import { type Host, isUtf8 } from './host.ts';
import type { LimitLine } from './limit-line.ts';

/** Opens the printer of a session. @throws Failure (usage) if --query is invalid */
export async function openOutput(
  { context, sink }: Host,
  { options, format }: Pick<Choices, 'options' | 'format'>,
  report: Report,
  limitLine: LimitLine,
): Promise<Printer> {
  const { query: expression, columns, header = true } = options;
  const query =
    expression === undefined
      ? undefined
      : (await import('../query/query.ts')).createQuery(expression);
  return createPrinter(
    context,
    limitLine.beforeResult(sink),
    (message) => notice(report, message),
    {
      format,
      columns,
      query,
      header,
      width: context.stdout.columns,
      framed: isUtf8(context.env),
    },
  );
}
