import { dirname } from 'node:path';
import type { Context } from '../../context.ts';
import { seeHolder } from '../../disk/claim.ts';
import { longestMark, type Mark, parseMark } from '../../disk/mark.ts';
import { isAlive } from '../../disk/mark-file.ts';
import { readOwn } from '../../disk/open-file.ts';
import { Failure, FileFault, systemCode } from '../../errors.ts';
import { readSettings } from '../../settings/file.ts';
import { isStoredKey } from '../../settings/keys.ts';
import type { Kept } from '../kept.ts';
import { inUseBy } from './in-use.ts';

/** Something that petstore keeps, and why it stays; undefined where it goes. */
export type Verdict = { readonly one: Kept; readonly why: string | undefined };

/**
 * What goes and what stays: what another process works with, what an unfinished import or a wait needs unless `force`, and what
 * petstore did not make. Nothing is changed.
 */
export async function judge(
  context: Context,
  all: readonly Kept[],
  force: boolean,
): Promise<readonly Verdict[]> {
  const has = (kind: Kept['kind']) => all.some((one) => one.kind === kind);
  const journals = has('journal') ? await import('./journals.ts') : undefined;
  const logs = all.filter(({ kind }) => kind === 'log').map(({ path }) => path);
  const { createLogJudge } = await import('./logs.ts');
  const whyLog = createLogJudge(context, logs, force);

  const first = all.map((one) => ({ one, why: attempt(() => whyAlone(one)) }));
  const running = first.find(({ one, why }) => isMark(one) && why !== undefined)?.why;
  const needsSandbox = first.some(
    ({ one, why }) => one.kind === 'journal' && why && journals?.isOfSandbox(one.path),
  );
  const second = first.map(({ one, why }) => ({ one, why: why ?? whyWithOthers(one) }));
  const inUse = new Set(
    second.filter(({ one, why }) => one.kind === 'log' && why).map(({ one }) => dirname(one.path)),
  );
  return second.map(({ one, why }) =>
    one.kind === 'salt' && inUse.has(dirname(one.path))
      ? { one, why: 'the rate limit log that is kept needs it' }
      : { one, why },
  );

  function whyAlone({ kind, path, what, shell, isLink }: Kept): string | undefined {
    if (kind === 'unknown') return what;
    // The link itself goes, and nothing that it leads to.
    if (isLink) return undefined;
    switch (kind) {
      case 'copy':
        return 'it may be open in an editor';
      case 'run':
        return 'a sandbox may be running in it';
      case 'completion':
        return `to remove it: petstore completion uninstall ${shell}`;
      case 'key':
        return isStoredKey(path) ? undefined : 'not a stored API key';
      case 'settings':
        readSettings(dirname(path));
        return undefined;
      case 'journal':
        return journals?.whyJournal(context, path, force);
      case 'claim':
      case 'lock':
        return inUseBy(seeHolder(context, path));
      case 'names':
        return inUseBy(ownerOfNames(context, path));
      default:
        return undefined;
    }
  }

  function whyWithOthers({ kind, path }: Kept): string | undefined {
    // An import that asks or looks something up has no request in flight, and goes on with the same log.
    if (kind === 'log') return running ?? attempt(() => whyLog(path));
    return kind === 'sandbox' && needsSandbox ? 'an unfinished import needs it' : undefined;
  }
}

/** Whether it says that a process creates or imports something. */
function isMark({ kind }: Kept): boolean {
  return kind === 'claim' || kind === 'names';
}

function ownerOfNames(context: Context, path: string): Mark | undefined {
  // Windows has a second file beside the one with the mark.
  const file = path.replace(/\.held$/, '');
  const [first = ''] = readOwn(file, longestMark)?.toString().split('\n') ?? [];
  const mark = parseMark(first);
  return mark && isAlive(context, mark, file) ? mark : undefined;
}

/** What cannot be looked into stays. */
function attempt(look: () => string | undefined): string | undefined {
  try {
    return look();
  } catch (error) {
    const code = systemCode(error);
    if (error instanceof Failure || error instanceof FileFault) return error.message;
    if (code === undefined) throw error;
    return `cannot be read (${code})`;
  }
}
