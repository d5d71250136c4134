import { describe, expect, test } from 'vitest';
import { faultOfState } from '../../../src/pacing/log-folder-fault.ts';

const win32 = { platform: 'win32', uid: undefined };

describe('a state folder on Windows', () => {
  test.for([
    ['\\\\server\\share\\petstore', undefined, true],
    ['//server/share/petstore', undefined, true],
    ['\\\\?\\UNC\\server\\share', undefined, true],
    ['\\\\wsl.localhost\\Debian\\home', undefined, true],
    ['S:\\petstore', '\\\\server\\share\\petstore', true],
    ['C:\\state', 'C:\\state', false],
    ['\\\\?\\C:\\state', 'C:\\state', false],
    ['\\\\.\\C:\\state', 'C:\\state', false],
    ['R:\\of a driver that names none', undefined, false],
  ] as const)('%s, which is %s, is on a network file system: %s', ([folder, real, isRemote]) => {
    const realpath = () => {
      if (real === undefined) throw Object.assign(new Error('EISDIR'), { code: 'EISDIR' });
      return real;
    };

    const fault = faultOfState(folder, win32, realpath);

    expect(fault?.message).toBe(isRemote ? `${folder} is on a network file system` : undefined);
    expect(fault?.fix).toBe(
      isRemote ? 'Set PETSTORE_STATE_DIR to a folder of your own.' : undefined,
    );
  });
});
