import type { Command } from 'commander';
import type { Context } from '../../context.ts';
import { Failure } from '../../errors.ts';
import { notice, warn } from '../../events.ts';
import type { App } from '../../session/app.ts';
import { defaultProfile, profileNames } from '../../session/profile.ts';
import { type Session, withSession } from '../../session/session.ts';
import { settingsOf } from '../../settings/file.ts';
import { keyFile, parseKey, readStoredKey } from '../../settings/keys.ts';
import { sandboxProfile } from '../../settings/values.ts';
import { addExamples, addNotes } from '../help.ts';

const columns = ['profile', 'default', 'active', 'baseUrl', 'key'] as const;

export function define(command: Command, app: App): void {
  command.description(
    'List all profiles: which one is the default, which one is active here, its base URL and where its key comes from; sends no request',
  );
  addExamples(command, ['petstore profile list', 'petstore profile list --json']);
  addNotes(command, ['To create a profile: petstore auth login --profile NAME']);
  command.action(() => withSession(app, command, listProfiles, { invalidSettings: true }));
}

async function listProfiles(session: Session): Promise<void> {
  const { context, faults, output, profile, report, settingsFile } = session;
  output.checkColumns(columns);
  for (const { message } of faults) notice(report, message);
  const variables = describeVariables(context);
  if (variables) notice(report, variables);
  const { settings } = settingsFile;
  const { text: byDefault } = defaultProfile(settingsFile);
  const rows = profileNames(settingsFile).map((name) => ({
    profile: name,
    default: name === byDefault,
    active: name === profile.name,
    baseUrl: settingsOf(settings, name)['base-url'],
    key: keySource(name, session),
  }));
  await output.print({ data: rows, columns });
}

function describeVariables({ env }: Context): string | undefined {
  const names = ['PETSTORE_BASE_URL', 'PETSTORE_API_KEY'].filter((name) => env[name]);
  if (names.length === 0) return undefined;
  return `${names.join(' and ')} ${names.length === 1 ? 'is' : 'are'} set; to see what is in use: petstore auth status`;
}

/** Warns if a stored key cannot be used. */
function keySource(name: string, { context, report, settingsFile }: Session): string {
  const { settings, folder } = settingsFile;
  if (name === sandboxProfile) return 'the sandbox';
  if (settingsOf(settings, name)['api-key-command'] !== undefined) return 'api-key-command';
  if (folder === undefined) return 'none';
  try {
    const stored = readStoredKey(context, folder, name);
    if (stored) parseKey(stored.key, keyFile(folder, name));
    return stored ? 'stored' : 'none';
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    const next = error.details.hint ?? `petstore auth login --profile ${name}`;
    warn(report, `${error.message}: ${next}`);
    return 'invalid';
  }
}
