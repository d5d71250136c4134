import { describe, expect, test } from 'vitest';
import { auth } from '../../../src/api/auth.ts';
import type { ApiRequest } from '../../../src/api/exchange.ts';

const key = { value: 'the-key-0123456789', source: 'the test' };
const requestTo = (url: string): ApiRequest => ({
  operation: 'GET /categories',
  method: 'GET',
  url: new URL(url),
  headers: {},
  body: undefined,
  maxBytes: 1,
  wait: { until: 0 },
});

describe('the key', () => {
  test.for([
    'https://other.example/v1/categories',
    'http://pets.example/v1/categories',
    'https://pets.example:8443/v1/categories',
    'https://pets.example.evil.example/v1/categories',
  ])('does not go to %s', async (url) => {
    let sent = 0;
    const exchange = auth(
      () => {
        sent += 1;
        return Promise.reject(new Error('sent'));
      },
      key,
      'https://pets.example',
    );

    await expect(exchange(requestTo(url))).rejects.toMatchObject({ kind: 'internal' });
    expect(sent).toBe(0);
  });
});
