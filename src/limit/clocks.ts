import { isNamed } from '../store/owner.ts';

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
/** Clocks of machines that share a folder may differ by this much. One that is farther back was set, or lost. */
const maxSkewMs = 600_000;

/** Returns our clock at a later moment. Within one start it is exact; between two it is as good as their wall clocks. */
export function later(then: Stamp, clocks: Clocks): Stamp {
  const isSame = isSameStart(then, clocks);
  const passed = clocks.uptime - then.uptime;
  if (isSame && passed >= 0) return { ...clocks, at: then.at + passed };
  // Another process is ahead. Its uptime stays, or the difference would be added again and again.
  if (isSame && passed >= -maxUptimeDriftMs) return { ...then, wall: clocks.wall };
  // What the faster clock of another machine added on the way there is taken off on the way back.
  const passedByWall = clocks.wall - then.wall;
  const ms = passedByWall < -maxSkewMs ? 0 : passedByWall;
  return { ...clocks, uptime: isSame ? then.uptime + ms : clocks.uptime, at: then.at + ms };
}

/** Returns true if the machine was not started in between. If the start has no name, its moment has to tell. */
export function isSameStart(then: Clocks, { wall, uptime, boot }: Clocks): boolean {
  if (boot !== then.boot) return false;
  if (isNamed(boot)) return true;
  return uptime >= then.uptime - maxUptimeDriftMs && wall - uptime <= then.wall + maxAdjustmentMs;
}
