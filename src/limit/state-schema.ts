import * as z from 'zod/mini';

/**
 * All that is known of the limit of one key. Times are ms on a clock of our own (clocks.ts). Processes of other versions read it:
 * if its shape changes, count up the version in `nameLimit`. Only a store needs the check; state.ts has the types.
 */
const windowSchema = z.object({
  limit: z.number(),
  /** No response has named the limit: it is that of the plan, or a guess. */
  isAssumed: z.optional(z.boolean()),
  remaining: z.number(),
  /** So many of them are left to others who use the key in this window. */
  reserved: z.optional(z.number()),
  endsAt: z.number(),
  /** The end by the service's clock. Undefined if the service did not report it, and we count ourselves. */
  serviceResetAt: z.optional(z.number()),
});

/** Counts as spent at `expiresAt`, or when its process has ended. */
const permitSchema = z.object({
  expiresAt: z.number(),
  owner: z.object({
    pid: z.number(),
    host: z.string(),
    born: z.optional(z.string()),
  }),
});

const blockSchema = z.object({
  /** `unavailable` is a 503 with Retry-After; the others come from a 429. */
  reason: z.enum(['429', 'tripped', 'banned', 'unavailable']),
  since: z.number(),
  until: z.number(),
  /** So far apart go requests after it; with each minute after its end half as far. */
  gapMs: z.number(),
});

const stateSchema = z.object({
  minute: z.optional(windowSchema),
  day: z.optional(windowSchema),
  permits: z.record(z.string(), permitSchema),
  /** So many requests may be in flight. It grows with each response, so it may be a fraction. */
  together: z.optional(z.number()),
  /** When the last permit was granted. */
  grantedAt: z.optional(z.number()),
  block: z.optional(blockSchema),
  /** 429s in a row. Those of requests that were in flight together are one. */
  refusals: z.number(),
  ownCount: z.optional(z.object({ since: z.number(), requests: z.number() })),
});

export const snapshotSchema = z.object({
  state: stateSchema,
  stamp: z.object({ at: z.number(), wall: z.number(), uptime: z.number(), boot: z.string() }),
});
