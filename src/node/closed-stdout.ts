import { existsSync, readFileSync, readlinkSync } from 'node:fs';

const shells = /^(?:ba|da|z|k|mk|fi)?sh$/m;
const nowhere = '/dev/null';

/**
 * Returns true if the shell that started this process has closed stdout (`>&-`), where the system tells. Before our first line runs, Node
 * opens /dev/null in its place for reading and writing. Python and Node pass that to a child whose output they ignore; a shell does not.
 */
export function isStdoutClosed(parentPid: number): boolean {
  try {
    if (readlinkSync('/proc/self/fd/1') !== nowhere) return false;
    const isForBoth = /^flags:\s+\d*2$/m.test(readFileSync('/proc/self/fdinfo/1', 'latin1'));
    const parent = `/proc/${parentPid}`;
    const isFromShell = shells.test(readFileSync(`${parent}/comm`, 'latin1'));
    const isInherited = existsSync(`${parent}/fd/1`) && readlinkSync(`${parent}/fd/1`) === nowhere;
    return isForBoth && isFromShell && !isInherited;
  } catch {
    return false;
  }
}
