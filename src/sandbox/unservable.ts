import { Failure, systemCode } from '../errors.ts';
import { allowMoreFiles, isOutOfFiles } from '../text/too-many-files.ts';

/** The failure of a sandbox that the system does not let run. @param port that was asked for; 0 is a free one */
export function unservable(error: unknown, port = 0): Failure {
  const code = systemCode(error);
  if (isOutOfFiles(error)) {
    const details = { cause: error, hint: allowMoreFiles };
    return new Failure('output', `too many open files for a sandbox (${code})`, details);
  }
  if (port === 0) return new Failure('config', `no port of this machine can be used (${code})`);
  const reason = code === 'EADDRINUSE' ? 'is taken' : `cannot be used (${code})`;
  return new Failure('config', `port ${port} ${reason}`, {
    hint: 'Leave out --port to take a free one.',
  });
}
