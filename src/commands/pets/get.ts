import type { Command } from 'commander';
import { getPet } from '../../api/endpoints.ts';
import { usageFailure } from '../../errors.ts';
import type { Host } from '../../session/host.ts';
import { inSession } from '../../session/session.ts';

export function get(command: Command, host: Host): void {
  command.argument('<pet-id>').action(async (petId: string) =>
    inSession(host, command, async ({ connect, output }) => {
      // As a path segment these two would name another path.
      if (['', '.', '..'].includes(petId)) throw usageFailure(`"${petId}" is no pet id`);
      const client = await connect();

      await output.anything(await client.call(getPet, { petId }));
    }),
  );
}
