import type { Command } from 'commander';
import { listOrders } from '../service/endpoints.ts';
import type { App } from '../session/app.ts';
import { type Session, withSession } from '../session/session.ts';
import { addExamples } from './help.ts';

export function define(command: Command, app: App): void {
  command.description('List all orders, as the service returns them');
  addExamples(command, ['petstore orders list', 'petstore orders list -o ndjson']);
  command.action(withSession(app, command, printOrders));
}

async function printOrders(session: Session): Promise<void> {
  const client = await session.client();
  await session.output.print({ record: await client.call(listOrders), empty: 'No orders.' });
}
