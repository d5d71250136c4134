import { existsSync, lstatSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Context, Output } from '../../../context.ts';
import { createWholeFile, type WholeFile } from '../../../disk/whole-file.ts';
import {
  explained,
  Failure,
  type FailureDetails,
  systemCode,
  unsent,
  usageFailure,
} from '../../../errors.ts';
import type { FileFormat } from '../../../formats.ts';
import { createSink, type Sink } from '../../../output/sink.ts';
import type { Session } from '../../../session/session.ts';
import { thousands } from '../../../text/number.ts';
import { shellWord } from '../../../text/shell.ts';

type Target = { readonly file: string; readonly format: FileFormat; readonly force: boolean };

/**
 * Has the list printed to a file, which is there when it is whole. All that can be found wrong with the path is found before
 * anything is sent.
 * @param print returns how many categories there are
 */
export async function exportTo(
  { host, options, report }: Session,
  { file, format, force }: Target,
  print: (sink: Sink) => Promise<number>,
): Promise<void> {
  const isThere = judge(file, force, host.context);
  const whole = open(file, force);
  const consequence = isThere ? `${file} was left unchanged.` : `${file} was not created.`;
  try {
    const stdout = outputTo(whole, file);
    const count = await print(createSink({ ...host.context, stdout }).laid);
    finish(whole, file);
    // How many categories a query leaves in the file only its author knows.
    const isPicked = options.query !== undefined;
    const what = isPicked
      ? 'the result of --query'
      : `${thousands(count)} ${count === 1 ? 'category' : 'categories'}`;
    report({
      event: 'notice',
      message: `exported ${what} to ${file}`,
      more: {
        lines: [],
        fields: { export: { file, format, ...(!isPicked && { categories: count }) } },
      },
    });
  } catch (error) {
    const own: FailureDetails = error instanceof Failure ? error.details : {};
    throw explained(error, host.context.signal, {
      consequence: own.consequence ?? consequence,
    });
  } finally {
    whole.drop();
  }
}

/** Whether there is a file to be replaced. @throws Failure */
function judge(file: string, force: boolean, { platform }: Context): boolean {
  try {
    const stats = statSync(file, { throwIfNoEntry: false });
    if (!stats) {
      if (!lstatSync(file, { throwIfNoEntry: false })) return false;
      throw usageFailure(`${file} is a broken symbolic link`);
    }
    if (stats.isDirectory()) throw usageFailure(`${file} is a directory`);
    if (!stats.isFile()) {
      const word = shellWord(platform, file) ?? 'FILE';
      const hint = `Write to standard output instead: petstore categories export - > ${word}`;
      throw usageFailure(`${file} is not a regular file`, hint);
    }
    if (!force) throw usageFailure(`${file} already exists; --force replaces it`);
    return true;
  } catch (error) {
    return unsent(error instanceof Failure ? error : unwritable(file, error));
  }
}

function open(file: string, force: boolean): WholeFile {
  try {
    return createWholeFile(file, force);
  } catch (error) {
    const folder = dirname(file);
    if (!existsSync(folder)) throw usageFailure(`directory not found: ${folder}`);
    return unsent(unwritable(file, error));
  }
}

function finish(whole: WholeFile, file: string): void {
  try {
    whole.finish();
  } catch (error) {
    const code = systemCode(error);
    // ENOENT: another export to this path was faster, and removed what looked like the rest of a killed one.
    if (code !== 'EEXIST' && code !== 'ENOENT') throw unwritable(file, error);
    const message = `another process wrote ${file} at the same time`;
    throw new Failure('output', message, { consequence: 'That file was left unchanged.' });
  }
}

function outputTo(whole: WholeFile, file: string): Output {
  return {
    async write(text) {
      try {
        whole.append(text);
      } catch (error) {
        throw unwritable(file, error);
      }
    },
    isTTY: false,
    columns: undefined,
    stream: undefined,
  };
}

function unwritable(file: string, error: unknown): Failure {
  const code = systemCode(error);
  const denied = ['EACCES', 'EPERM', 'EROFS'].includes(code ?? '');
  return new Failure('output', `cannot write ${file} (${code})`, {
    cause: error,
    ...(denied && { hint: 'Choose a directory that you can write to.' }),
  });
}
