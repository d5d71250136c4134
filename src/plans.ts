export type Quotas = { readonly minute: number; readonly day: number };

export const windowMs = { minute: 60_000, day: 86_400_000 } as const;

export const plans = {
  free: { minute: 60, day: 1_000 },
  pro: { minute: 300, day: 10_000 },
  business: { minute: 1_000, day: 100_000 },
} as const satisfies Record<string, Quotas>;
