import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Environment } from '../context.ts';
import type { Format } from '../formats.ts';
import { chooseMaxWait } from '../session/connect.ts';
import { firstGiven, type Given } from '../session/given.ts';
import type { Host } from '../session/host.ts';
import type { CommonOptions } from '../session/options.ts';
import { chooseProfile, type Profile, shownName } from '../session/profile.ts';
import { chooseFormat } from '../session/session.ts';
import { chooseSetting } from '../session/setting.ts';
import { readSettings, settingsFile } from '../settings/file.ts';
import { requireConfigFolder } from '../settings/folders.ts';
import { checkProfileName } from '../settings/names.ts';
import { parsePlan } from '../settings/plan.ts';
import { type Finding, judge, ok, shownSource } from './doctor-finding.ts';

/** The settings in force, as far as they can be read; where they cannot, what is in force without them. */
export type Choices = {
  readonly profile: Profile;
  readonly format: Format;
  /** In ms. */
  readonly maxWait: number;
  readonly findings: readonly Finding[];
};

/** Looks at every setting by itself, so that a broken one hides no other. */
export async function examineSettings(host: Host, options: CommonOptions): Promise<Choices> {
  const { env } = host.context;
  const file = await judge('settings', () => {
    const folder = requireConfigFolder(host.context);
    readSettings(folder);
    const path = join(folder, settingsFile);
    return ok('settings', existsSync(path) ? path : `none yet: ${path}`);
  });

  let profile: Profile = withoutSettings({});
  const named = await judge('profile', () => {
    profile = file.failure ? withoutSettings(options, env) : chooseProfile(host, options);
    return ok('profile', `${shownName(profile)} (${shownSource(profile, profile)})`);
  });
  const run = { host, options, profile };
  const { settings } = profile;

  let format: Format = 'table';
  const output = await judge('output', () => {
    format = chooseFormat(run);
    return ok('output', `${format} (${shownSource(chooseSetting('output', run), profile)})`);
  });

  let maxWait = Number.POSITIVE_INFINITY;
  const wait = await judge('longest wait', () => {
    maxWait = chooseMaxWait(run);
    const source = shownSource(chooseSetting('max-wait', run), profile);
    return ok('longest wait', `${maxWait / 1_000} s (${source})`);
  });

  const plan = await judge('plan', () => {
    if (settings.plan === undefined) return ok('plan', 'not set');
    return ok('plan', `${parsePlan(settings.plan, 'plan').name} (settings)`);
  });
  return { profile, format, maxWait, findings: [file, named, output, wait, plan] };
}

/** The profile where the settings file cannot be read. @throws Failure (usage) */
function withoutSettings(options: CommonOptions, env: Environment = {}): Profile {
  const byDefault: Given = { value: 'production', source: 'default' };
  const asked = firstGiven([
    ['--profile', options.profile],
    ['PETSTORE_PROFILE', env.PETSTORE_PROFILE || undefined],
  ]);
  const { value: name, source } = asked ?? byDefault;
  checkProfileName(name, source);
  return { name, source, byDefault, file: undefined, settings: {} };
}
