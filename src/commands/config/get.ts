import { Argument, type Command } from 'commander';
import { configFailure } from '../../errors.ts';
import type { App } from '../../session/app.ts';
import { profileFlag } from '../../session/profile.ts';
import { type Session, withSession } from '../../session/session.ts';
import { settings } from '../../settings/table.ts';
import { addExamples } from '../help.ts';
import { findInForce, type NameInForce, namesInForce, rowOf } from './list.ts';

export function define(command: Command, app: App): void {
  addExamples(command, ['petstore config get profile', 'url=$(petstore config get base-url)']);
  command
    .description('Print the value of one setting; exits 2 when it is not set')
    .addArgument(new Argument('<setting>', 'name of the setting').choices(namesInForce))
    .action((name: NameInForce) =>
      withSession(app, command, (session) => printSetting(session, name)),
    );
}

async function printSetting(session: Session, name: NameInForce): Promise<void> {
  const { output, profile } = session;
  const given = findInForce(name, session);
  if (!given) {
    throw configFailure(
      `${name} is not set for profile ${profile.name}`,
      profile.isSandbox && name !== 'profile' && settings[name].isOfSandbox
        ? 'The sandbox has its own base URL, API key and limit.'
        : `petstore config set ${name} VALUE${profileFlag(profile)}`,
    );
  }
  const row = rowOf(name, given);
  await output.print({ data: row, columns: Object.keys(row), text: given.text });
}
