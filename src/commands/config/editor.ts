import type { Context } from '../../context.ts';
import { configFailure, type Failure, systemCode } from '../../errors.ts';
import { setVariable } from '../../text/shell.ts';

/** The editor of the user, as a line for a shell. */
export function chooseEditor({ env, platform }: Context): string {
  return env.VISUAL?.trim() || env.EDITOR?.trim() || (platform === 'win32' ? 'notepad' : 'vi');
}

/** Opens a file in an editor and waits until it ends. @throws Failure (config) when it fails, the signal's reason */
export async function openEditor(context: Context, editor: string, path: string): Promise<void> {
  const env = { ...context.env, PETSTORE_API_KEY: undefined, PETSTORE_LIMIT_STORE: undefined };
  const exitCode = await context
    .launch(programOf(context, editor, path), env, { ownsCtrlC: true })
    .catch((error) => {
      if (systemCode(error) === undefined) throw error;
      return systemCode(error) === 'ENOENT' ? notFound : notExecutable;
    });
  context.signal.throwIfAborted();
  if (exitCode === 0) return;
  const reason = reasons[exitCode];
  throw editorFailure(
    editor,
    reason ?? `exited with code ${exitCode}`,
    reason && another(context.platform),
  );
}

/** The failure of an editor that did not do its work. */
export function editorFailure(editor: string, what: string, hint?: string): Failure {
  const consequence = 'Nothing was saved.';
  return configFailure(`editor "${editor}" ${what}`, hint).with({ consequence });
}

/** As a shell reports it. */
const [notExecutable, notFound] = [126, 127];
const reasons: Readonly<Record<number, string>> = {
  [notExecutable]: 'cannot be executed',
  [notFound]: 'not found',
};

function another(platform: string): string {
  const editor = platform === 'win32' ? 'notepad' : 'nano';
  return `Set VISUAL to your editor, for example: ${setVariable(platform, 'VISUAL', editor)}`;
}

/**
 * The variables hold a line for a shell, as git takes them. The editor takes the shell's place, so that signals reach it alone.
 * What it prints is no result: it goes to the terminal by way of stderr. Windows has no such shell.
 */
function programOf({ platform }: Context, editor: string, path: string): readonly string[] {
  if (platform !== 'win32') return ['sh', '-c', `exec >&2; exec ${editor} "$@"`, editor, path];
  const words = editor.match(/(?:"[^"]*"|[^\s"])+/g) ?? [];
  return [...words.map((word) => word.replaceAll('"', '')), path];
}
