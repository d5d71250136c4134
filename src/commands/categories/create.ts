import type { Command } from 'commander';
import { createCategory } from '../../api/endpoints.ts';
import { type Category, NewCategory } from '../../api/resources.ts';
import { Exit, explained, Failure, usageFailure } from '../../errors.ts';
import { warn } from '../../events.ts';
import { findMismatch } from '../../json/check.ts';
import type { App } from '../../session/app.ts';
import { type Session, withSession } from '../../session/session.ts';
import { addExamples } from '../help.ts';
import { showRequest } from '../show-request.ts';
import { categoryColumns } from './columns.ts';
import { createMissing } from './create-missing.ts';
import { findCreated } from './create-unknown.ts';

type Options = {
  readonly description?: string;
  readonly ifMissing?: boolean;
  readonly dryRun?: boolean;
};

export function define(command: Command, app: App): void {
  addExamples(command, [
    "petstore categories create ferret --description 'Steals socks'",
    'petstore categories create ferret --if-missing',
    'id=$(petstore categories create ferret --query id -o raw)',
  ]);
  command
    .argument('<name>', 'name of the category, for example rabbit')
    .option('--description <text>', 'short description of the category')
    .option(
      '--if-missing',
      'create it only if no category has exactly this name (one more request)',
    )
    .option('--dry-run', 'print the request without sending it')
    .action((name: string, options: Options) =>
      withSession(app, command, (session) => create(session, name, options)),
    );
}

async function create(
  session: Session,
  name: string,
  { description, ifMissing = false, dryRun }: Options,
): Promise<void> {
  const { context, output, report } = session;
  if (!dryRun) output.checkColumns(categoryColumns);
  const body = newCategory(name, description);
  const client = await session.client();
  if (dryRun) return showRequest(output, client.prepare(createCategory, { body }));

  const send = () =>
    client.call(createCategory, { body }).catch((error) => {
      if (!(error instanceof Failure) || error.kind !== 'outcome_unknown') throw error;
      return findCreated(session, client, name, ifMissing, error);
    });
  const { category, wasThere } = ifMissing
    ? await createMissing(session, client, name, send)
    : { category: await send(), wasThere: false };

  if (category.name !== name) warn(report, `the service changed the name to "${category.name}"`);
  await output.print({ data: category, columns: categoryColumns }).catch((error) => {
    throw wasThere ? error : printFailure(error, category, context.signal);
  });
}

/** Refuses what the service would refuse anyway. */
function newCategory(name: string, description: string | undefined): NewCategory {
  const category = { name, ...(description !== undefined && { description }) };
  const mismatch = findMismatch(NewCategory, category);
  if (mismatch) throw usageFailure(`invalid category: ${mismatch}`);
  if (`${name}${description ?? ''}`.includes('\ufffd')) {
    throw usageFailure(
      'invalid category: contains bytes that are not valid UTF-8, or U+FFFD in their place',
    );
  }
  return category;
}

/** Returns the failure of printing a new category. It names the id, since nobody can create it again. */
function printFailure(error: unknown, { id, name }: Category, signal: AbortSignal): Failure {
  const consequence = `The category was created with id ${id}.`;
  const failure = explained(error, signal, { outcome: 'created', consequence });
  if (failure instanceof Failure) return failure;
  const message = `created "${name}" with id ${id}; the result could not be printed`;
  const exitCode = error instanceof Exit ? error.exitCode : undefined;
  return new Failure('output', message, { outcome: 'created', exitCode, cause: error });
}
