/** Texts that a category may have besides its name (interface document, section 2). Options, columns and messages follow. */
export const optionalFields = ['description'] as const;
export type OptionalField = (typeof optionalFields)[number];

export type Content = { readonly name: string } & {
  readonly [Field in OptionalField]?: string;
};

export const contentFields = ['name', ...optionalFields] as const;
export const categoryColumns = ['id', ...contentFields] as const;
const columnsByTitle = new Map(categoryColumns.map((column) => [column.toLowerCase(), column]));

/** Finds a column by what a file calls it, in any case. */
export function findColumn(title: string): string | undefined {
  return columnsByTitle.get(title.toLowerCase());
}

export const anyOptionalField = optionalFields.join(' or ');

export function pickContent(category: Content): Content {
  const content: Record<string, string> & { name: string } = { name: category.name };
  for (const field of optionalFields) {
    const text = category[field];
    if (text !== undefined) content[field] = text;
  }
  return content;
}

/** Returns the optional fields that a row gives and the service has otherwise. */
export function findDifferences(row: Content, existing: Content): OptionalField[] {
  return optionalFields.filter(
    (field) => row[field] !== undefined && row[field] !== (existing[field] ?? ''),
  );
}
