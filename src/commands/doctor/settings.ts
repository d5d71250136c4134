import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Format } from '../../formats.ts';
import type { Host } from '../../session/host.ts';
import type { CommonOptions } from '../../session/options.ts';
import { chooseProfile, type Profile, profileIn, shownName } from '../../session/profile.ts';
import { chooseFormat, chooseMaxWait, chooseSetting, type Run } from '../../session/setting.ts';
import { readSettings, settingsFile } from '../../settings/file.ts';
import { requireConfigFolder } from '../../settings/folders.ts';
import { declared, namesIn, type ProfileSetting } from '../../settings/names.ts';
import { type Finding, judge, shownSource, unset } from './finding.ts';

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
    return existsSync(path) ? path : unset('settings', `no file yet (${path})`);
  });

  const nothing = { settings: {}, file: undefined };
  let profile = profileIn(nothing, {}, {});
  const named = await judge('profile', () => {
    profile = file.failure ? profileIn(nothing, options, env) : chooseProfile(host, options);
    return `${shownName(profile)} (${shownSource(profile, profile)})`;
  });
  const run = { host, options, profile };
  // What leads to the service is examined with the way there.
  const plain = namesIn('profile').filter((name) => !declared[name].ofSandbox);
  const others = await Promise.all(plain.map((name) => examine(name, run)));
  const isValid = (name: ProfileSetting) => !others[plain.indexOf(name)]?.failure;
  return {
    profile,
    format: isValid('output') ? chooseFormat(run) : 'table',
    maxWait: isValid('max-wait') ? chooseMaxWait(run) : Number.POSITIVE_INFINITY,
    findings: [file, named, ...others],
  };
}

function examine(name: ProfileSetting, run: Run): Promise<Finding> {
  const { title = name, read } = declared[name];
  return judge(title, () => {
    const given = chooseSetting(name, run);
    if (!given) return unset(title, 'not set');
    return `${read(given.value, given.place)} (${shownSource(given, run.profile)})`;
  });
}
