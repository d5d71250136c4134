import type { Command } from 'commander';
import { notice } from '../../events.ts';
import type { JsonObject } from '../../json/json.ts';
import type { App } from '../../session/app.ts';
import { defaultProfile } from '../../session/profile.ts';
import { type Given, resolveSetting } from '../../session/resolve.ts';
import { type Session, withSession } from '../../session/session.ts';
import { settingNames, settings } from '../../settings/table.ts';
import { addExamples } from '../help.ts';

const columns = ['setting', 'value', 'source'] as const;

export function define(command: Command, app: App): void {
  addExamples(command, ['petstore config list', 'petstore config list --profile staging --json']);
  command.action(() => withSession(app, command, listSettings, { invalidSettings: true }));
}

async function listSettings(session: Session): Promise<void> {
  const { faults, output, report } = session;
  output.checkColumns(columns);
  for (const { message } of faults) notice(report, message);
  // `-o json` formats this list only; the list shows the format of other commands.
  const { output: _, ...options } = session.options;
  const others = { ...session, options };
  const rows = namesInForce.map((name) => rowOf(name, findInForce(name, others)));
  await output.print({ data: rows, columns });
}

export const namesInForce = ['profile', ...settingNames] as const;
export type NameInForce = (typeof namesInForce)[number];

export function findInForce(name: NameInForce, session: Session): Given | undefined {
  if (name === 'profile') return session.profile.given;
  if (name === 'default-profile') return defaultProfile(session.settingsFile);
  const given = resolveSetting(name, session);
  const { withoutSecrets } = settings[name];
  return given && withoutSecrets ? { ...given, text: withoutSecrets(given.text) } : given;
}

export function rowOf(name: NameInForce, given: Given | undefined): JsonObject {
  return { setting: name, value: given?.text, source: given?.file ?? given?.source };
}
