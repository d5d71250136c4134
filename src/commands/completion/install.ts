import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { Argument, type Command } from 'commander';
import type { Context } from '../../context.ts';
import { notice } from '../../events.ts';
import type { Host } from '../../session/host.ts';
import { inSession } from '../../session/session.ts';
import { quote } from '../../text/shell.ts';
import { addExamples } from '../examples.ts';
import { withBlock } from './block.ts';
import { type Shell, scripts } from './scripts.ts';
import { chooseShell, editFile, installable, startupFile } from './startup-file.ts';

export function define(command: Command, host: Host): void {
  addExamples(command, ['petstore completion install', 'petstore completion install zsh']);
  command
    .description(
      'Set up Tab completion in your shell: adds a marked block to ~/.bashrc or ~/.zshrc, or a file to the completions of ' +
        'fish. Run it again to update the block.',
    )
    .addArgument(shellArgument())
    .action(async (named: Shell | undefined) =>
      inSession(host, command, async ({ report }) => {
        const { context } = host;
        const shell = chooseShell(context, named, 'install');
        const path = startupFile(shell, context);

        const isChanged = editFile(path, context.uid, (text) =>
          withBlock(isOurs(text) ? '' : text, scripts[shell], path),
        );

        notice(
          report,
          isChanged
            ? `installed completion for ${shell} in ${path}`
            : `completion for ${shell} is already installed in ${path}`,
        );
        if (isChanged) notice(report, nextStep(shell, path));
        if (!isOnPath(context)) {
          notice(report, 'petstore is not on your PATH; completion works once it is');
        }
      }),
    );
}

/** The optional name of a shell. */
export function shellArgument(): Argument {
  const argument = new Argument('[shell]', 'bash, zsh or fish (default: your login shell, $SHELL)');
  const { parseArg: parse } = argument.choices(installable);
  // It has a script, so that there is more to say of it than that it is none of these.
  return argument.argParser((word, before) =>
    word === 'powershell' ? word : parse?.(word, before),
  );
}

/** What older versions had users put into a file of its own, without marks. */
function isOurs(text: string): boolean {
  return text.trimEnd() === scripts.fish;
}

function nextStep(shell: Shell, path: string): string {
  return shell === 'fish'
    ? 'it works in new fish sessions'
    : `open a new terminal, or run: source ${quote(path)}`;
}

function isOnPath({ env, platform }: Context): boolean {
  const name = platform === 'win32' ? 'petstore.cmd' : 'petstore';
  return (env.PATH ?? '').split(delimiter).some((folder) => existsSync(join(folder, name)));
}
