import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import type { Owner } from '../context.ts';
import { systemCode } from '../errors.ts';

export function readOwner(pid: number): Owner {
  const boot = readBoot();
  return { pid, host: hostname(), born: boot && `${boot}.${readNamespace('pid')}` };
}

/** Returns undefined for a process of another machine, start or container, where nobody can look. The signal 0 only asks. */
export function isRunning(
  { pid, host, born }: Owner,
  own: Owner,
  kill: (pid: number, signal: 0) => unknown,
): boolean | undefined {
  if (host !== own.host || born !== own.born) return undefined;
  try {
    kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM: it runs as another user.
    return systemCode(error) !== 'ESRCH';
  }
}

const unnamed = 'unnamed';
const maxLagSeconds = 1;

/** Names this start of the machine, or of a container that reports an uptime of its own. `tickMs` counts from the machine's start. */
export function bootOf(tickMs: number, uptimeSeconds: number): string {
  const boot = readBoot();
  const isOfMachine = uptimeSeconds + maxLagSeconds > tickMs / 1_000;
  return boot
    ? `${boot}.${readNamespace(isOfMachine ? 'time' : 'pid')}`
    : `${unnamed}.${hostname()}`;
}

export function isNamed(boot: string): boolean {
  return !boot.startsWith(unnamed);
}

function readBoot(): string | undefined {
  return attempt(() => readFileSync('/proc/sys/kernel/random/boot_id', 'latin1').slice(0, 8));
}

/** Returns the namespace, on Linux, in which process ids or the uptime are counted: of the machine or of one container. */
function readNamespace(what: 'pid' | 'time'): string | undefined {
  return attempt(() => readlinkSync(`/proc/self/ns/${what}`));
}

function attempt(read: () => string): string | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
