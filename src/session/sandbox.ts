import { usageFailure } from '../errors.ts';
import { notice } from '../events.ts';
import { stateFolder } from '../settings/folders.ts';
import type { Service } from './account.ts';
import type { CommonOptions } from './options.ts';
import type { Setup } from './setting.ts';

/** Runs the sandbox inside this very command, behind a real port of this machine. */
export async function embedSandbox({
  host: { context },
  options,
  report,
}: Setup): Promise<Service> {
  refuseForSandbox(options);
  const { startPersistentSandbox } = await import('../sandbox/persistent.ts');
  const say = (message: string) => notice(report, message);
  const { baseUrl, key } = await startPersistentSandbox(context, stateFolder(context), say);
  return { baseUrl, key: { value: key, source: 'the sandbox' } };
}

/** The sandbox has an address and a key of its own; others on the command line are a mistake. @throws Failure (usage) */
export function refuseForSandbox(options: CommonOptions): void {
  const other =
    options.baseUrl !== undefined ? '--base-url' : options.apiKeyFile && '--api-key-file';
  if (!other) return;
  throw usageFailure(`${other} cannot be used with the sandbox profile`, 'Remove one of the two.');
}
