import type { Setting } from '../settings/table.ts';

/** What a setting is, and its values where they are few. */
export function describeSetting({ title = '', parse, help, stored, choices }: Setting): string {
  // The option of any other one takes something else than its value.
  if (parse === undefined) return title;
  const values = stored?.replaceAll('`', '') ?? choices?.join(', ');
  return [help, values].filter(Boolean).join(': ');
}
