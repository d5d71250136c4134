import { constants } from 'node:fs';

/** Whether this is Windows, by what its files lack: no links to refuse, no modes, no folders that can be opened and synced. */
export const isWindows = constants.O_NOFOLLOW === undefined;
