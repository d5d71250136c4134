import { Failure, usageFailure } from '../errors.ts';
import { speaksJson } from '../formats.ts';
import { mayAsk } from '../session/host.ts';
import type { Session } from '../session/session.ts';

/** Why no question can be asked in this run, as a clause; undefined where one can. */
export function obstacleToAsking({ host, options }: Session): string | undefined {
  const { stdin, stderr } = host.context;
  if (!stdin.isTTY || !stderr.isTTY) return 'this is not a terminal';
  if (options.input === false) return '--no-input is set';
  if (!mayAsk(host.context, options)) return 'CI is set';
  return host.format && speaksJson(host.format) ? 'the output is JSON' : undefined;
}

/** @throws Failure (usage) where an obstacle keeps a question from being asked that --yes would have answered */
export function refuseUnasked(obstacle: string | undefined, hint?: string): void {
  if (obstacle === undefined) return;
  throw usageFailure(`confirmation needed, but ${obstacle} (use --yes)`, hint);
}

/** Asks whether to go on. @throws Failure (interrupted, exit code 2) when the answer is no */
export async function agree({ host }: Session, question: string): Promise<void> {
  if (await host.context.confirm(question)) return;
  throw new Failure('interrupted', 'cancelled', { outcome: 'not_sent', exitCode: 2 });
}
