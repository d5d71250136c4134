import { join } from 'node:path';
import type { Command } from 'commander';
import { notice } from '../../events.ts';
import { exact } from '../../json/exact.ts';
import type { Host } from '../../session/host.ts';
import { inSession } from '../../session/session.ts';
import { settingsFile } from '../../settings/file.ts';
import { requireConfigFolder } from '../../settings/folders.ts';
import { addColumns } from '../columns.ts';
import { addExamples } from '../examples.ts';

type Options = { readonly all?: boolean };

const columns = ['path', 'what', 'exists', 'bytes'] as const;

export function define(command: Command, host: Host): void {
  addExamples(command, [
    'petstore config path',
    'cat "$(petstore config path)"',
    'petstore config path --all',
  ]);
  addColumns(command, ['path'], { '--all': columns });
  command
    .option('--all', 'list every file and folder that petstore keeps on this machine')
    .action(async ({ all }: Options) =>
      inSession(
        host,
        command,
        async ({ output, report }, faults) => {
          for (const { message } of faults) notice(report, message);
          const path = join(requireConfigFolder(host.context), settingsFile);
          if (!all) return output.bare(path, { path });
          output.checkColumns(columns);
          const { listKept, listMissing } = await import('../kept.ts');
          const rows = [
            ...listKept(host.context).map(({ path, what, bytes }) => ({
              path,
              what,
              exists: true,
              ...(bytes !== undefined && { bytes: exact(bytes) }),
            })),
            ...listMissing(host.context).map(({ path, what }) => ({
              path,
              what,
              exists: false,
            })),
          ];
          await output.records(rows, columns);
        },
        { invalidSettings: true, unreadable: true },
      ),
    );
}
