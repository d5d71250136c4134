import type { Command } from 'commander';
import { usageFailure } from '../errors.ts';
import { getPet } from '../service/endpoints.ts';
import type { App } from '../session/app.ts';
import { type Session, withSession } from '../session/session.ts';
import { addExamples } from './help.ts';

export function define(command: Command, app: App): void {
  command.description(
    'Show a pet, as the service returns it. The service has deprecated this operation; petstore shows its sunset date if the service sends one.',
  );
  addExamples(command, ['petstore pets get 1', 'petstore pets get 1 --json']);
  command.argument('<pet-id>', 'id of the pet').action(withSession(app, command, showPet));
}

async function showPet(session: Session, petId: string): Promise<void> {
  // As a path segment these two would name another path.
  if (['', '.', '..'].includes(petId)) throw usageFailure(`invalid pet id "${petId}"`);
  const client = await session.client();
  await session.output.print({ record: await client.call(getPet, { petId }) });
}
