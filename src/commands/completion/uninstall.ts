import { lstatSync, rmSync } from 'node:fs';
import type { Command } from 'commander';
import { saving } from '../../disk/files.ts';
import { notice } from '../../events.ts';
import type { Host } from '../../session/host.ts';
import { inSession } from '../../session/session.ts';
import { addExamples } from '../examples.ts';
import { withoutBlock } from './block.ts';
import { shellArgument } from './install.ts';
import type { Shell } from './scripts.ts';
import { chooseShell, editFile, startupFile } from './startup-file.ts';

export function define(command: Command, host: Host): void {
  addExamples(command, ['petstore completion uninstall', 'petstore completion uninstall zsh']);
  command
    .description('Remove what `petstore completion install` added to your shell, and nothing else.')
    .addArgument(shellArgument())
    .action(async (named: Shell | undefined) =>
      inSession(host, command, async ({ report }) => {
        const { context } = host;
        const shell = chooseShell(context, named, 'uninstall');
        const path = startupFile(shell, context);

        const isChanged = editFile(path, context.uid, (text) => withoutBlock(text, path));
        // A file for petstore alone.
        if (isChanged && shell === 'fish') removeEmpty(path);

        notice(
          report,
          isChanged
            ? `removed completion for ${shell} from ${path}; open shells keep it until they end`
            : `completion for ${shell} is not installed in ${path}`,
        );
      }),
    );
}

/** @throws Failure (output) */
function removeEmpty(path: string): void {
  saving(path, () => {
    const stats = lstatSync(path);
    if (stats.isFile() && stats.size === 0) rmSync(path);
  });
}
