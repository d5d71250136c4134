import type { Command } from 'commander';
import { getPet } from '../../api/endpoints.ts';
import { usageFailure } from '../../errors.ts';
import type { Host } from '../../session/host.ts';
import { inSession } from '../../session/session.ts';
import { addExamples } from '../examples.ts';

export function define(command: Command, host: Host): void {
  command.description(
    'Show one pet as it comes. The service has deprecated this, and petstore says until when if the service does.',
  );
  addExamples(command, ['petstore pets get 1', 'petstore pets get 1 --json']);
  command.argument('<pet-id>', 'as the service gave it').action(async (petId: string) =>
    inSession(host, command, async ({ connect, output }) => {
      // As a path segment these two would name another path.
      if (['', '.', '..'].includes(petId)) throw usageFailure(`"${petId}" is no pet id`);
      const client = await connect();

      await output.anything(await client.call(getPet, { petId }));
    }),
  );
}
