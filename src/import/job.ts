import type { Context } from '../context.ts';
import type { Report } from '../events.ts';
import type { Client } from '../service/client.ts';
import type { Ledger } from './ledger.ts';
import type { Item } from './rows.ts';
import type { SettleTimes } from './settle.ts';
import type { Turn } from './turn.ts';

export type Job = SettleTimes & {
  readonly context: Context;
  readonly client: Client;
  readonly report: Report;
  readonly items: readonly Item[];
  readonly turn: Turn;
  readonly ledger: Ledger;
  readonly maxWaitMs: number;
  /** Shows the plan and asks. Throws if the answer is no. */
  readonly confirm: (beforeAsking: () => Promise<void>) => Promise<void>;
  readonly onRowDone: () => void;
};
