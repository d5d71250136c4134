import { usageFailure } from '../errors.ts';
import { formats, isFormat } from '../formats.ts';
import { wordFor } from '../text/secret.ts';
import { parseBaseUrl } from './base-url.ts';
import { parseDuration } from './duration.ts';
import { parseLimitStore } from './limit-store.ts';
import { parsePlan } from './plan.ts';

/** A setting of the settings file: where it belongs and what it may be. */
type Setting = {
  /** Whether each profile has its own. */
  readonly ofProfile: boolean;
  /** @throws Failure when the value is not one */
  readonly check: (value: string) => void;
};

const profileName = /^[a-z0-9][a-z0-9_-]{0,63}$/i;

export const settingNames = {
  'base-url': {
    ofProfile: true,
    check: (value) => void parseBaseUrl(value, 'the command line'),
  },
  output: {
    ofProfile: true,
    check(value) {
      if (!isFormat(value)) {
        throw usageFailure(
          `${wordFor(value)} is no output format`,
          `One of: ${formats.join(', ')}`,
        );
      }
    },
  },
  'max-wait': {
    ofProfile: true,
    check: (value) => void parseDuration(value, 'max-wait'),
  },
  plan: {
    ofProfile: true,
    check: (value) => void parsePlan(value, 'plan'),
  },
  'limit-store': {
    ofProfile: true,
    check: (value) => void parseLimitStore(value, 'the command line'),
  },
  'api-key-command': {
    ofProfile: true,
    check: checkCommand,
  },
  'default-profile': {
    ofProfile: false,
    check: (value) => checkProfileName(value, 'the command line'),
  },
} as const satisfies Readonly<Record<string, Setting>>;

export type SettingName = keyof typeof settingNames;

/** A line for a shell, that messages can quote. @throws Failure (usage), which shows nothing of it */
function checkCommand(value: string): void {
  if (value.trim() !== '' && !/\p{Cc}/u.test(value)) return;
  throw usageFailure(
    'this is no command: it is empty, or has a line break or control character in it',
    "For example: petstore config set api-key-command 'pass show petstore'",
  );
}

export function isProfileName(name: string): boolean {
  return profileName.test(name);
}

/** @throws Failure (usage); `source` says where it was given. */
export function checkProfileName(name: string, source: string): void {
  if (isProfileName(name)) return;
  throw usageFailure(
    `${wordFor(name)} in ${source} is no profile name`,
    'Letters, digits, "-" and "_" only.',
  );
}
