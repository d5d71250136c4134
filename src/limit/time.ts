import { isNamed } from '../disk/owner.ts';

/** Anybody can set the wall clock of a machine, nobody the time since its start, which `boot` names. */
export type Clocks = {
  readonly wall: number;
  readonly uptime: number;
  readonly boot: string;
};

/** A moment on our own clock, which only goes forward, with the machine's clocks at that moment. */
export type Stamp = Clocks & { readonly at: number };

/** The wall clock may be adjusted by this much without having been set. */
const maxAdjustmentMs = 5_000;
/** Processes of one start may differ in the uptime by less than this: macOS reports whole seconds. */
const maxUptimeDriftMs = 1_000;

/** Returns our clock at a later moment. It shows less than has really passed rather than more: no wait gets shorter. */
export function later(then: Stamp, clocks: Clocks): Stamp {
  const { uptime, wall } = clocks;
  if (!isSameStart(then, clocks)) {
    return { ...clocks, at: then.at + Math.max(0, wall - then.wall) };
  }
  const passed = uptime - then.uptime;
  // Another process is ahead by a little. Its uptime stays, or the difference would be added again and again.
  if (passed < 0 && passed >= -maxUptimeDriftMs) return { ...then, wall };
  return { ...clocks, at: then.at + Math.max(0, passed) };
}

/** Returns true if the machine was not started in between. If the start has no name, its moment has to tell. */
export function isSameStart(then: Clocks, { wall, uptime, boot }: Clocks): boolean {
  if (boot !== then.boot) return false;
  if (isNamed(boot)) return true;
  return uptime >= then.uptime - maxUptimeDriftMs && wall - uptime <= then.wall + maxAdjustmentMs;
}
