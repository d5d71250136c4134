import type { Command } from 'commander';
import { readCategories } from '../../api/client.ts';
import { keyEnding } from '../../api/outcome.ts';
import { Failure } from '../../errors.ts';
import type { App } from '../../session/app.ts';
import { noKey } from '../../session/key.ts';
import { resolveBaseUrl } from '../../session/resolve.ts';
import { type Session, withSession } from '../../session/session.ts';
import { sandboxProfile } from '../../settings/values.ts';
import { addExamples } from '../help.ts';

type Options = { readonly check?: boolean };

/** `works` is undefined if the request failed for another reason than the key. */
type Checked = { readonly works?: boolean; readonly failure?: unknown };

const columns = ['profile', 'baseUrl', 'keySource', 'keyEnding'];

export function define(command: Command, app: App): void {
  command.description(
    'Show which API key is used, where it comes from and its last characters; sends no request',
  );
  addExamples(command, ['petstore auth status', 'petstore auth status --check']);
  command
    .option('--check', 'send one request to see whether the service accepts the key')
    .action(async ({ check }: Options) =>
      withSession(app, command, async (session) => {
        const { output, profile } = session;
        output.checkColumns(check ? [...columns, 'works'] : columns);
        const sandbox = profile.name === sandboxProfile;
        const baseUrl = sandbox ? undefined : resolveBaseUrl(session);
        const key = sandbox ? { source: 'the sandbox' } : await session.key();
        const { works, failure }: Checked = check && key ? await tryKey(session) : {};

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
      }),
    );
}

/** A 401 says that the key is missing or invalid (interface document, section 5); other failures say nothing of it. */
async function tryKey(session: Session): Promise<Checked> {
  try {
    await readCategories(await session.client());
    return { works: true };
  } catch (failure) {
    const refused = failure instanceof Failure && failure.details.service?.status === 401;
    return { ...(refused && { works: false }), failure };
  }
}
