import type { Command } from 'commander';
import { listOrders } from '../api/endpoints.ts';
import type { Host } from '../session/host.ts';
import { inSession } from '../session/session.ts';
import { addExamples } from './examples.ts';

export function define(command: Command, host: Host): void {
  command.description('List all orders, as the service returns them');
  addExamples(command, ['petstore orders list', 'petstore orders list -o ndjson']);
  command.action(async () =>
    inSession(host, command, async ({ connect, output }) => {
      const client = await connect();
      await output.print({ data: await client.call(listOrders, {}), empty: 'No orders.' });
    }),
  );
}
