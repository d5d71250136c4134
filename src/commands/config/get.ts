import type { Command } from 'commander';
import { configFailure } from '../../errors.ts';
import type { App } from '../../session/app.ts';
import { profileFlag } from '../../session/profile.ts';
import { withSession } from '../../session/session.ts';
import { addExamples } from '../examples.ts';
import { inForce, namesInForce, rowOf } from './in-force.ts';
import { isOfSandbox, requireName } from './names.ts';

export function define(command: Command, app: App): void {
  command.description('Print the value of one setting; exits 2 when it is not set');
  addExamples(command, ['petstore config get profile', 'url=$(petstore config get base-url)']);
  command.argument('<setting>', namesInForce.join(', ')).action(async (text: string) =>
    withSession(app, command, async (session) => {
      const name = requireName(text, namesInForce);
      const given = inForce(name, session);
      if (!given) {
        throw configFailure(
          `${name} is not set for profile ${session.profile.name}`,
          name !== 'profile' && isOfSandbox(name, session.profile)
            ? 'The sandbox has its own base URL, API key and limit.'
            : `petstore config set ${name} VALUE${profileFlag(session.profile)}`,
        );
      }
      const row = rowOf(name, given);
      await session.output.print({ data: row, columns: Object.keys(row), text: given.text });
    }),
  );
}
