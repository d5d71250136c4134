import Conf from 'conf';
import { durableWrite, makePrivateFolder } from '../files.ts';
import { readSettings, settingsFile } from './file.ts';

/**
 * Saves one setting and returns the file it stands in; `path` as in Setting.
 * @throws Failure (config) when the file as it stands is broken, Failure (output) when it cannot be written.
 */
export function saveSetting(folder: string, path: string, value: string): string {
  readSettings(folder);
  makePrivateFolder(folder);
  const store = new Conf({ cwd: folder, configName: settingsFile.replace('.json', '') });
  // Conf's own write cuts the file short on a nearly full disk, without an error.
  Object.defineProperty(store, '_write', {
    value: (settings: object) =>
      durableWrite(store.path, `${JSON.stringify(settings, undefined, 2)}\n`),
  });
  store.set(path, value);
  return store.path;
}
