import type { Client } from '../api/client.ts';
import type { Context } from '../context.ts';
import type { Report } from '../events.ts';
import type { Identity } from './journal.ts';
import type { Plan } from './plan.ts';
import type { Row } from './rows.ts';

export type Job = Identity & {
  readonly context: Context;
  readonly client: Client;
  readonly report: Report;
  readonly rows: readonly Row[];
  readonly stateFolder: string;
  /** Within this time the service carries out a request or drops it, and its list shows what it created. */
  readonly settleMs: number;
  readonly maxWaitMs: number;
  /** Shows the plan and asks. Returns the rows to create although they look like a listed name; throws if the answer is no. */
  readonly confirm: (plan: Plan) => Promise<ReadonlySet<number>>;
  readonly onRowDone: () => void;
};
