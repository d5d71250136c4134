import type { Ledger } from './ledger.ts';
import type { Entry } from './records.ts';

/** The lines that all requests with one key leave behind, wherever they are kept; never fails. Times are this machine's. */
export type SharedLog = {
  /** The ledger after all lines so far. */
  readonly read: () => Ledger | Promise<Ledger>;
  /** Whether it is kept elsewhere, so that each look costs others something. */
  readonly isFar?: () => boolean;
  /** Adds a line and returns the ledger after it. */
  readonly append: (entry: Entry) => Ledger | Promise<Ledger>;
};
