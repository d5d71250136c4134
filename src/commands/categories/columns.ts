/** The fields of a category, in the order of the interface document's example. */
export const categoryColumns = ['id', 'name', 'description'] as const;
