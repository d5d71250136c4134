export const categoryColumns = ['id', 'name', 'description'] as const;
