import { type Format, isFormat } from '../formats.ts';
import type { Host } from './host.ts';
import type { CommonOptions } from './options.ts';
import { chooseProfile } from './profile.ts';
import { chooseSetting } from './setting.ts';

/** The format that the settings file has for errors too, where a command line was not understood. @throws Failure */
export function settingsFormat(host: Host, options: CommonOptions): Format | undefined {
  const profile = chooseProfile(host, options);
  const { value } = chooseSetting('output', { host, options, profile });
  return isFormat(value) ? value : undefined;
}
