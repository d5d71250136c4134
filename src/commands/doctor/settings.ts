import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Format } from '../../formats.ts';
import { chooseMaxWait } from '../../session/connect.ts';
import type { Host } from '../../session/host.ts';
import type { CommonOptions } from '../../session/options.ts';
import { chooseProfile, type Profile, profileIn, shownName } from '../../session/profile.ts';
import { chooseFormat } from '../../session/session.ts';
import { chooseSetting } from '../../session/setting.ts';
import { readSettings, settingsFile } from '../../settings/file.ts';
import { requireConfigFolder } from '../../settings/folders.ts';
import { parsePlan } from '../../settings/plan.ts';
import { type Finding, judge, ok, shownSource } from './finding.ts';

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

  const nothing = { settings: {}, file: undefined };
  let profile = profileIn(nothing, {}, {});
  const named = await judge('profile', () => {
    profile = file.failure ? profileIn(nothing, options, env) : chooseProfile(host, options);
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
