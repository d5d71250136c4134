import type { Head } from '../../api/exchange.ts';
import { shownHeadersOf } from '../../api/trace.ts';
import { exact, type Json } from '../../json/exact.ts';
import type { Clean } from '../../output/clean.ts';
import type { Printer } from '../../output/results.ts';

/** The columns of a response that is shown with its head. */
export const columns = ['field', 'value'] as const;

/** Prints a response with its status and header fields, as --dry-run prints a request. */
export async function showResponse(
  output: Printer,
  clean: Clean,
  head: Pick<Head, 'status' | 'headers'>,
  body: Json | undefined,
): Promise<void> {
  const status = exact(head.status);
  // Unlike our own data, the service's may have a secret in the name of a field.
  const shown = clean({
    headers: shownHeadersOf(head.headers),
    ...(body !== undefined && { body }),
  });
  const rows: readonly (readonly [string, Json | undefined])[] = [
    ['status', status],
    ...Object.entries(shown.headers),
    ...(shown.body === undefined ? [] : [['body', shown.body] as const]),
  ];
  await output.overview(
    { status, ...shown },
    rows.map(([field, value]) => ({ field, value })),
    columns,
  );
}
