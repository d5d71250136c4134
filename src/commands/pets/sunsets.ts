import { join } from 'node:path';
import { durableWrite } from '../../disk/files.ts';
import { readOwn } from '../../disk/open-file.ts';
import { faultOfFolder, faultOfLink, securePrivateFolder } from '../../disk/private-folder.ts';
import { notice } from '../../events.ts';
import type { Session } from '../../session/session.ts';
import { stateFolder } from '../../settings/folders.ts';
import { isoTime } from '../../text/iso-time.ts';

/** Below the state folder. */
const place = ['deprecations', 'sunsets.json'] as const;

/** A longer file is none of ours, in bytes; the oldest entries go, since a sandbox has a new address at each start. */
const longest = 64 * 1024;
const mostKept = 100;

/** When the operation goes away, in ms since 1970, as far as it was ever said here; a file that is broken says nothing. */
export async function knownSunset(
  session: Session,
  operation: string,
): Promise<number | undefined> {
  const { address } = await session.account();
  const time = Date.parse(readAll(session).get(nameOf(address, operation)) ?? '');
  return Number.isNaN(time) ? undefined : time;
}

/** Remembers it for the next run. No failure of that is one of the command. */
export async function rememberSunset(
  session: Session,
  operation: string,
  sunset: number,
): Promise<void> {
  try {
    await save(session, operation, isoTime(sunset));
  } catch (error) {
    if (!session.options.verbose) return;
    const reason = error instanceof Error ? error.message : String(error);
    notice(session.report, `cannot save the sunset date of ${operation}: ${reason}`);
  }
}

/** @throws Failure, FileFault, the system's error */
async function save(session: Session, operation: string, sunset: string): Promise<void> {
  const { context } = session.host;
  const state = stateFolder(context);
  const { address } = await session.account();
  const name = nameOf(address, operation);
  if (state === undefined || readAll(session).get(name) === sunset) return;
  const { claim } = await import('../../disk/claim.ts');
  const path = join(state, ...place);
  securePrivateFolder(join(state, place[0]), context.uid);
  const held = claim(context, `${path}.lock`);
  // What another process writes now is this date, or the next run hears it again.
  if (!held.mine) return;
  try {
    const all = readAll(session);
    all.delete(name);
    all.set(name, sunset);
    const kept = Object.fromEntries([...all].slice(-mostKept));
    durableWrite(path, `${JSON.stringify(kept, undefined, 2)}\n`);
  } finally {
    held.release();
  }
}

function nameOf(address: string, operation: string): string {
  return `${address} ${operation}`;
}

/** Every date that is known, by address and operation; none where the file cannot be read or is not the user's. */
function readAll({ host: { context } }: Session): Map<string, string> {
  try {
    const state = stateFolder(context) ?? '';
    const folder = join(state, place[0]);
    if (faultOfLink(state, context.uid) ?? faultOfFolder(folder, context.uid)) return new Map();
    const text = readOwn(join(folder, place[1]), longest)?.toString() ?? '{}';
    const entries = Object.entries(JSON.parse(text) ?? {});
    return new Map(
      entries.filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
    );
  } catch {
    return new Map();
  }
}
