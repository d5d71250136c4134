import { usageFailure } from '../errors.ts';
import { formats, isFormat } from '../formats.ts';
import { parseBaseUrl } from './base-url.ts';
import { parseDuration } from './duration.ts';

/** A setting that `config set` can change: where it stands in the file and what it may be. */
export type Setting = {
  /** Path in the settings file, for a profile's own settings below that profile. */
  readonly path: (profile: string) => string;
  /** @throws Failure when the value is not one */
  readonly check: (value: string) => void;
};

const profileName = /^[a-z0-9][a-z0-9_-]{0,63}$/i;

const ofProfile = (name: string) => (profile: string) => `profiles.${profile}.${name}`;

export const settingNames: Readonly<Record<string, Setting>> = {
  'base-url': {
    path: ofProfile('base-url'),
    check: (value) => void parseBaseUrl(value, 'the command line'),
  },
  output: {
    path: ofProfile('output'),
    check(value) {
      if (!isFormat(value)) {
        throw usageFailure(`"${value}" is no output format`, `One of: ${formats.join(', ')}`);
      }
    },
  },
  'max-wait': {
    path: ofProfile('max-wait'),
    check: (value) => void parseDuration(value, 'max-wait'),
  },
  'default-profile': {
    path: () => 'default-profile',
    check: checkProfileName,
  },
};

/** @throws Failure (usage) */
export function checkProfileName(name: string): void {
  if (!profileName.test(name)) {
    throw usageFailure(`"${name}" is no profile name`, 'Letters, digits, "-" and "_" only.');
  }
}
