import { notice } from '../../events.ts';
import { optionalFields, pickContent } from '../../fields.ts';
import { decideFates, findUnlisted } from '../../import/fates.ts';
import { describeMissing } from '../../import/lookup.ts';
import type { Item } from '../../import/rows.ts';
import type { JsonObject } from '../../json/json.ts';
import { readCategories } from '../../service/client.ts';
import type { Category } from '../../service/resources.ts';
import type { Session } from '../../session/session.ts';
import { openLedger } from './open-import.ts';

export const previewColumns = [
  ...['change', 'line', 'name', 'id', 'looksLike'],
  ...optionalFields.flatMap((field) => [field, serviceColumn(field)]),
];

/** Decides what an import would do with each row, for one request, and returns that with the list that it went by. Creates nothing. */
export async function preview(session: Session, items: readonly Item[]) {
  const client = await session.client();
  const ledger = await openLedger(session);
  const entries = ledger.read(items.map(({ name }) => name));
  const list = await readCategories(client, { decides: true });
  const recent = entries.filter((entry) => ledger.isRecent(entry));
  const missing = findUnlisted(recent, list).length;
  if (missing > 0) notice(session.report, describeMissing(missing));
  decideFates(items, list, entries);
  const listed = new Map(list.map((category) => [String(category.id), category]));
  const rows = items.map((item) => {
    const { fate: change, line, lookAlike: looksLike } = item;
    const { name, ...others } = pickContent(item);
    const existing = listed.get(item.id ?? '');
    const row = { change, line, name, id: existing?.id, looksLike };
    return { ...row, ...others, ...serviceFields(existing) };
  });
  return { rows, list };
}

export function serviceFields(category: Category | undefined): JsonObject {
  const fields = optionalFields.map((field) => [serviceColumn(field), category?.[field]]);
  return Object.fromEntries(fields);
}

function serviceColumn(field: string): string {
  return `service${field.slice(0, 1).toUpperCase()}${field.slice(1)}`;
}
