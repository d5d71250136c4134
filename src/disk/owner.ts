import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import { systemCode } from '../errors.ts';

/** A process. `born` distinguishes it from earlier ones with its id, where the system knows; it has no other meaning. */
export type Owner = {
  readonly pid: number;
  readonly host: string;
  readonly born?: string | undefined;
  /** The namespace of the id, where the system has several. */
  readonly space?: string | undefined;
};

/** The process of this machine that has that id now. */
export function ownerOf(pid: number): Owner {
  return { pid, host: hostname(), born: look(pid)?.born, space: spaceOf('pid') };
}

/**
 * Whether a process still runs; one of another machine counts as running, since nobody here can know.
 * @param kill sends a signal to a process, or throws the system's error; 0 is none and only asks
 */
export function isRunning(
  { pid, host, born, space }: Owner,
  kill: (pid: number, signal: 0) => unknown,
): boolean {
  // In another container the same number is somebody else, or nobody.
  if (host !== hostname() || (space !== undefined && space !== spaceOf('pid'))) return true;
  try {
    kill(pid, 0);
  } catch (error) {
    // EPERM: it runs, as somebody else's.
    if (systemCode(error) === 'ESRCH') return false;
  }
  const seen = look(pid);
  if (!seen) return true;
  return !seen.ended && (born === undefined || born === seen.born);
}

/** Whether a value that was read from a file can be an owner. */
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

/** The name of a start where the system has none: uptime and clock together have to tell it from others. */
const unnamed = 'unnamed';
/** Two readings of the same uptime differ by less, in s. */
const apart = 1;

/**
 * Names this start of the machine, the same for all its processes; of the container where that has an uptime of its own.
 * @param uptime seconds since the start, as the system tells it
 * @param ticks the same from a clock that is the machine's in every container, in ms; it may stand still while the machine sleeps
 */
export function bootOf(uptime: number, ticks: number, read: () => string = readBoot): string {
  try {
    const whole = uptime + apart > ticks / 1_000;
    return `${read()}.${whole ? spaceOf('time') : spaceOf('pid')}`;
  } catch {
    return `${unnamed}.${hostname()}`;
  }
}

/** Whether a start has a name that no other one has. */
export function isNamed(boot: string): boolean {
  return !boot.startsWith(unnamed);
}

/** Tells the starts of a machine apart, on Linux. @throws the system's error */
function readBoot(): string {
  return readFileSync('/proc/sys/kernel/random/boot_id', 'latin1').slice(0, 8);
}

/** Where Linux counts process ids from one, or tells another uptime: the machine, or one container. */
function spaceOf(what: 'pid' | 'time'): string | undefined {
  try {
    return readlinkSync(`/proc/self/ns/${what}`);
  } catch {
    return undefined;
  }
}

/** What Linux tells of a process; undefined elsewhere. Ids are reused, a moment of one boot is not. */
function look(pid: number): { born: string; ended: boolean } | undefined {
  try {
    const boot = readBoot();
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    // The second field is the program's name, which may hold blanks and brackets.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const [state, threads, start] = [fields[0], fields[17], fields[19]];
    // All of it has ended, and its parent has not asked how; while it has threads, one may still be in the midst of a write.
    const ended = (state === 'Z' && threads === '1') || state === 'X';
    return { born: `${boot}.${start}`, ended };
  } catch {
    return undefined;
  }
}
