import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Context } from '../../context.ts';
import { cannotSave, othersCanChange } from '../../disk/files.ts';
import { makePrivateFolder } from '../../disk/folders.ts';
import { writeBrief } from '../../disk/new-file.ts';
import { nameTemporary, sweep } from '../../disk/temporary.ts';
import { countJournals } from '../../import/journal-files.ts';
import { faultOfState } from '../../pacing/log-folder-fault.ts';
import { requireStateFolder } from '../../settings/folders.ts';
import { commandOn } from '../../text/shell.ts';
import { type Finding, judge, ok, warn } from './finding.ts';

const check = 'state folder';

/** Whether petstore can keep what it must remember, which only writing tells: a disk may be full. */
export async function examineState(context: Context): Promise<Finding[]> {
  const kept: Finding[] = [];
  const state = await judge(check, () => {
    const folder = requireStateFolder(context);
    const [limits, imports] = [join(folder, 'limits'), join(folder, 'imports')];
    const places = [folder, ...[limits, imports].filter(existsSync)];
    for (const place of places) tryToWrite(place);
    const journals = countJournals(imports);
    kept.push(
      ok('kept there', `rate limits of keys: ${keysIn(limits)}, import journals: ${journals}`),
    );

    const fault = faultOfState(folder, context);
    if (fault) {
      const elsewhere = `${fault.message}: the rate limit is kept elsewhere`;
      return warn(check, `${elsewhere}. Fix: ${fault.fix}`);
    }
    if (othersCanChange(folder, context.uid)) {
      return warn(
        check,
        `other users can write to ${folder}. Fix: ${commandOn('chmod 700', folder)}`,
      );
    }
    const local = context.platform === 'linux' ? ', on a local disk' : '';
    return `${folder}${local}`;
  });
  return [state, ...kept];
}

/** @throws Failure (output) */
function tryToWrite(folder: string): void {
  const file = nameTemporary(join(folder, 'doctor'));
  try {
    makePrivateFolder(folder);
    writeBrief(file, '?'.repeat(4_096));
    rmSync(file);
  } catch (error) {
    sweep([file]);
    throw cannotSave(folder, error);
  }
}

/** How many keys the limit is remembered of. */
function keysIn(limits: string): number {
  if (!existsSync(limits)) return 0;
  const logs = readdirSync(limits).filter((name) => name.endsWith('.log'));
  return new Set(logs.map((name) => name.split('.', 1)[0])).size;
}
