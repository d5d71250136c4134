import { join } from 'node:path';
import type { Command } from 'commander';
import { explained } from '../../errors.ts';
import { notice } from '../../events.ts';
import type { Host } from '../../session/host.ts';
import { readKept, sandboxProfile, unknownProfile } from '../../session/profile.ts';
import { inSession, type Session } from '../../session/session.ts';
import { requireConfigFolder, stateFolder } from '../../settings/folders.ts';
import { profilesWithKey } from '../../settings/keys.ts';
import { namesIn } from '../../settings/names.ts';
import { isBuiltIn, profileNames, settingsOf } from '../../settings/profiles.ts';
import { settings as table } from '../../settings/table.ts';
import { commandOn } from '../../text/shell.ts';
import { agree, obstacleToAsking, refuseUnasked } from '../confirm.ts';
import { addExamples } from '../examples.ts';

const { fallback: usualProfile } = table['default-profile'];

type Options = { readonly yes?: boolean };

/** What there is to delete of a profile. */
type Found = {
  readonly name: string;
  readonly hasKey: boolean;
  readonly settings: readonly string[];
  /** Whether the settings file makes it the default profile, which another one is without that. */
  readonly isDefault: boolean;
  /** Whether the settings file names it. */
  readonly isInFile: boolean;
};

export function define(command: Command, host: Host): void {
  command.description(
    'Delete a profile: its stored API key and its settings. production, staging and sandbox are reset instead, since they always exist. The service is sent nothing, so the key remains valid there.',
  );
  addExamples(command, [
    'petstore profile delete staging',
    'petstore profile delete staging --yes',
  ]);
  command
    .argument('<profile>')
    .option('--yes', 'skip the confirmation')
    .action(async (name: string, options: Options) =>
      inSession(host, command, (session) => remove(session, name, options), {
        newProfile: true,
        invalidSettings: true,
      }),
    );
}

async function remove(session: Session, name: string, { yes }: Options): Promise<void> {
  const { host, report } = session;
  const found = find(host, name);
  if (found.hasKey || found.isInFile || found.isDefault) {
    for (const message of preview(found)) notice(report, message);
    if (!yes) await ask(session, name);
    await removeFound(host, found);
    notice(report, done(found));
  } else {
    notice(report, `profile ${name} has no settings and no stored API key`);
  }
  for (const message of whatRemains(host, name)) notice(report, message);
}

/** @throws Failure (usage) when there is no such profile */
function find(host: Host, name: string): Found {
  const { folder, settings } = readKept(host);
  const known = profileNames(folder, settings);
  if (!known.includes(name)) {
    // It is not to be created.
    throw unknownProfile(name, known).with({ hint: `Profiles: ${known.join(', ')}` });
  }
  return {
    name,
    hasKey: folder !== undefined && profilesWithKey(folder).includes(name),
    settings: Object.keys(settingsOf(settings, name)),
    isDefault: settings['default-profile'] === name && name !== usualProfile,
    isInFile: Object.hasOwn(settings.profiles ?? {}, name),
  };
}

function* preview({ name, hasKey, settings, isDefault }: Found): Generator<string> {
  const count = `${settings.length} setting${settings.length === 1 ? '' : 's'}`;
  const parts = [
    ...(hasKey ? ['the stored API key'] : []),
    ...(settings.length > 0 ? [count] : []),
  ];
  const names = settings.length > 0 ? `: ${settings.join(', ')}` : '';
  if (parts.length > 0) yield `this deletes ${parts.join(' and ')} of profile ${name}${names}`;
  if (isDefault)
    yield `profile ${name} is the default profile; the default will be ${usualProfile} again`;
}

async function ask(session: Session, name: string): Promise<void> {
  refuseUnasked(obstacleToAsking(session));
  const question = `${isBuiltIn(name) ? 'Reset' : 'Delete'} profile ${name}?`;
  await agree(session, question).catch((error) => {
    const consequence = 'Nothing was deleted.';
    throw explained(error, session.host.context.signal, { consequence });
  });
}

/** The key first: what is left after a kill is still a profile, which the same command deletes. @throws Failure (output) */
async function removeFound({ context }: Host, { name, hasKey, ...found }: Found): Promise<void> {
  const { saveSettings } = await import('../../settings/save.ts');
  const { removeKey } = await import('../../settings/save-key.ts');
  const folder = requireConfigFolder(context);
  if (hasKey) await removeKey(context, folder, name);
  if (!found.isInFile && !found.isDefault) return;
  const own = namesIn('profile').map((setting) => ({ profile: name, name: setting }));
  const top = found.isDefault ? [{ name: 'default-profile' } as const] : [];
  await saveSettings(context, folder, [...own, ...top], undefined).catch((error) => {
    if (!hasKey) throw error;
    const consequence = 'The stored API key was deleted, the settings were not.';
    throw explained(error, context.signal, { consequence });
  });
}

function done({ name, hasKey }: Found): string {
  const what = isBuiltIn(name)
    ? `reset profile ${name}, which is built in and still exists`
    : `deleted profile ${name}`;
  return `${what}${hasKey ? '; the service may still accept its API key' : ''}`;
}

function* whatRemains({ context }: Host, name: string): Generator<string> {
  if (context.env.PETSTORE_API_KEY) yield 'PETSTORE_API_KEY is still set';
  if (context.env.PETSTORE_PROFILE === name && !isBuiltIn(name)) {
    yield 'PETSTORE_PROFILE is still set to this profile';
  }
  const state = stateFolder(context);
  if (name === sandboxProfile && state !== undefined) {
    const restart = commandOn('rm', join(state, 'sandbox', 'requests.log'));
    yield `what you created in the sandbox was not deleted; to start afresh: ${restart}`;
  }
}
