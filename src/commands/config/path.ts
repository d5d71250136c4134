import { join } from 'node:path';
import type { Command } from 'commander';
import { notice } from '../../events.ts';
import type { App } from '../../session/app.ts';
import { type Session, withSession } from '../../session/session.ts';
import { settingsFile } from '../../settings/file.ts';
import { requireConfigFolder } from '../../settings/folders.ts';
import { addExamples } from '../help.ts';

export function define(command: Command, app: App): void {
  addExamples(command, ['petstore config path', 'cat "$(petstore config path)"']);
  command.action(() =>
    withSession(app, command, printPath, { invalidSettings: true, unreadableFile: true }),
  );
}

async function printPath({ context, faults, output, report }: Session): Promise<void> {
  for (const { message } of faults) notice(report, message);
  const path = join(requireConfigFolder(context), settingsFile);
  await output.print({ data: { path }, columns: ['path'], text: path });
}
