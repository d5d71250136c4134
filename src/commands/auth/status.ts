import type { Command } from 'commander';
import { readCategories } from '../../api/client.ts';
import { keyEnding } from '../../api/outcome.ts';
import { Failure } from '../../errors.ts';
import type { App } from '../../session/app.ts';
import { noKey } from '../../session/key.ts';
import { resolveBaseUrl } from '../../session/resolve.ts';
import { type Session, withSession } from '../../session/session.ts';
import { addExamples } from '../help.ts';

const columns = ['profile', 'baseUrl', 'keySource', 'keyEnding'];

export function define(command: Command, app: App): void {
  command.description(
    'Show which API key is used, where it comes from and its last characters; sends no request',
  );
  addExamples(command, ['petstore auth status', 'petstore auth status --check']);
  command
    .option('--check', 'send one request to see whether the service accepts the key')
    .action(({ check = false }: { readonly check?: boolean }) =>
      withSession(app, command, (session) => printStatus(session, check)),
    );
}

async function printStatus(session: Session, check: boolean): Promise<void> {
  const { output, profile } = session;
  output.checkColumns(check ? [...columns, 'works'] : columns);
  const baseUrl = resolveBaseUrl(session);
  const key = profile.isSandbox ? { source: 'the sandbox' } : await session.key();
  const { works, failure }: KeyCheck = check && key ? await tryKey(session) : {};

  await output.print({
    data: {
      profile: profile.name,
      baseUrl: baseUrl?.href,
      keySource: key?.source,
      keyEnding: key && 'value' in key ? keyEnding(key.value) : undefined,
      ...(check && { works }),
    },
  });
  if (!key) throw noKey(profile);
  if (failure) throw failure;
}

type KeyCheck = { readonly works?: boolean; readonly failure?: unknown };

async function tryKey(session: Session): Promise<KeyCheck> {
  try {
    await readCategories(await session.client());
    return { works: true };
  } catch (failure) {
    // Only a 401 says that the key is missing or invalid (interface document, section 5).
    const isRejected = failure instanceof Failure && failure.details.service?.status === 401;
    return { ...(isRejected && { works: false }), failure };
  }
}
