import { expect, test } from 'vitest';
import type { Context } from '../../../src/context.ts';
import { Client } from '../../../src/service/client.ts';
import { anyRequest } from '../../../src/service/endpoints.ts';

test('the key goes to no other origin than that of the base URL', async () => {
  const sent: URL[] = [];
  const client = new Client({
    context: { uptime: () => 0, signal: new AbortController().signal } as Context,
    send: ({ url }) => {
      sent.push(url);
      return Promise.reject(new Error('sent'));
    },
    baseUrl: new URL('https://pets.example'),
    key: { value: 'the-key-1', source: 'the test' },
    maxWaitMs: 0,
    report: () => {},
  });

  // Behind the base URL this is a user name and a host.
  const call = client.call(anyRequest('GET', '@other.example/v1'));

  await expect(call).rejects.toThrow('the request would have sent the API key to another host');
  expect(sent).toEqual([]);
});
