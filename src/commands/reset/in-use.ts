import type { Owner } from '../../context.ts';

/** Why something stays that another process works with; undefined where none does. */
export function inUseBy(owner: Pick<Owner, 'pid' | 'host'> | undefined): string | undefined {
  return owner && `in use by process ${owner.pid} on ${owner.host}`;
}
