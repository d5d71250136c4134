import type { Command } from 'commander';
import { getPet } from '../api/endpoints.ts';
import { usageFailure } from '../errors.ts';
import type { Host } from '../session/host.ts';
import { inSession } from '../session/session.ts';
import { addExamples } from './examples.ts';

export function define(command: Command, host: Host): void {
  command.description(
    'Show a pet, as the service returns it. The service has deprecated this operation; petstore shows its sunset date where the service sends one.',
  );
  addExamples(command, ['petstore pets get 1', 'petstore pets get 1 --json']);
  command.argument('<pet-id>', 'id of the pet').action(async (petId: string) =>
    inSession(host, command, async ({ connect, output }) => {
      // As a path segment these two would name another path.
      if (['', '.', '..'].includes(petId)) throw usageFailure(`invalid pet id "${petId}"`);
      const client = await connect();
      await output.print({ data: await client.call(getPet, { petId }) });
    }),
  );
}
