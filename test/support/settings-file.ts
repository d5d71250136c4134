import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Writes the settings file of a test, and returns its path. */
export function saveSettings(folder: string, text: string): string {
  mkdirSync(join(folder, 'config'), { recursive: true });
  const path = join(folder, 'config', 'settings.json');
  writeFileSync(path, text);
  return path;
}
