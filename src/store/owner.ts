import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import type { Owner } from '../context.ts';
import { systemCode } from '../errors.ts';

export function readOwner(pid: number): Owner {
  return { pid, host: hostname(), born: readProcess(pid)?.born, space: readNamespace('pid') };
}

/** Returns undefined for a process of another machine, start or container, where nobody can look. The signal 0 only asks. */
export function isRunning(
  { pid, host, born, space }: Owner,
  kill: (pid: number, signal: 0) => unknown,
): boolean | undefined {
  // In another container the same number is somebody else, or nobody.
  if (host !== hostname() || (space !== undefined && space !== readNamespace('pid')))
    return undefined;
  if (born !== undefined && !born.startsWith(`${ownBoot()}.`)) return undefined;
  try {
    kill(pid, 0);
  } catch (error) {
    // EPERM: it runs as another user.
    if (systemCode(error) === 'ESRCH') return false;
  }
  const found = readProcess(pid);
  if (!found) return true;
  return !found.hasEnded && (born === undefined || born === found.born);
}

export function isOwner(value: unknown): value is Owner {
  if (typeof value !== 'object' || value === null) return false;
  const { pid, host, born } = value as Record<string, unknown>;
  return (
    Number.isSafeInteger(pid) &&
    // Zero and less would name groups of processes.
    (pid as number) > 0 &&
    typeof host === 'string' &&
    (born === undefined || typeof born === 'string')
  );
}

const unnamed = 'unnamed';
const maxLagSeconds = 1;

/** Names this start of the machine, or of a container that reports an uptime of its own. `tickMs` counts from the machine's start. */
export function bootOf(uptimeSeconds: number, tickMs: number): string {
  try {
    const isOfMachine = uptimeSeconds + maxLagSeconds > tickMs / 1_000;
    return `${readBoot()}.${isOfMachine ? readNamespace('time') : readNamespace('pid')}`;
  } catch {
    return `${unnamed}.${hostname()}`;
  }
}

export function isNamed(boot: string): boolean {
  return !boot.startsWith(unnamed);
}

function ownBoot(): string | undefined {
  try {
    return readBoot();
  } catch {
    return undefined;
  }
}

function readBoot(): string {
  return readFileSync('/proc/sys/kernel/random/boot_id', 'latin1').slice(0, 8);
}

/** Returns the namespace, on Linux, in which process ids or the uptime are counted: of the machine or of one container. */
function readNamespace(what: 'pid' | 'time'): string | undefined {
  try {
    return readlinkSync(`/proc/self/ns/${what}`);
  } catch {
    return undefined;
  }
}

function readProcess(pid: number): { born: string; hasEnded: boolean } | undefined {
  try {
    const boot = readBoot();
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    // The second field is the program's name, which may contain blanks and brackets.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const [state, threads, start] = [fields[0], fields[17], fields[19]];
    // A zombie with threads may still be in the middle of a write.
    const hasEnded = (state === 'Z' && threads === '1') || state === 'X';
    return { born: `${boot}.${start}`, hasEnded };
  } catch {
    return undefined;
  }
}
