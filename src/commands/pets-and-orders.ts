import { getPet, listOrders } from '../service/endpoints.ts';
import type { Session } from '../session/session.ts';
import type { Verb } from './verb.ts';

export const get: Verb = {
  description:
    'Show a pet, as the service returns it. The service has deprecated this operation; petstore shows its sunset date if the service sends one.',
  takes: [['<pet-id>', 'id of the pet']],
  examples: ['petstore pets get 1', 'petstore pets get 1 --json'],
  async run({ client, output }: Session, petId: string) {
    const operation = getPet(petId);
    await output.print({ record: await (await client()).call(operation) });
  },
};

export const list: Verb = {
  description: 'List all orders, as the service returns them',
  examples: ['petstore orders list', 'petstore orders list -o ndjson'],
  async run({ client, output }: Session) {
    await output.print({ record: await (await client()).call(listOrders), empty: 'No orders.' });
  },
};
