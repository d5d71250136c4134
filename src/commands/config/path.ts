import { join } from 'node:path';
import type { Command } from 'commander';
import { notice } from '../../events.ts';
import type { Host } from '../../session/host.ts';
import { inSession } from '../../session/session.ts';
import { settingsFile } from '../../settings/file.ts';
import { requireConfigFolder } from '../../settings/folders.ts';
import { addColumns } from '../columns.ts';
import { addExamples } from '../examples.ts';

export function define(command: Command, host: Host): void {
  addExamples(command, ['petstore config path', 'cat "$(petstore config path)"']);
  addColumns(command, ['path']);
  command.action(async () =>
    inSession(
      host,
      command,
      async ({ output, report }, faults) => {
        for (const { message } of faults) notice(report, message);
        const path = join(requireConfigFolder(host.context), settingsFile);
        await output.print({ data: { path }, columns: ['path'], text: path });
      },
      { invalidSettings: true, unreadable: true },
    ),
  );
}
