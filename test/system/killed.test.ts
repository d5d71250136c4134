import { describe } from 'vitest';
import { expect, test } from '../support/program.ts';
import { startService } from '../support/service.ts';

describe('a process that is killed while its request is in flight', () => {
  test('keeps nobody waiting', async ({ start, petstore }) => {
    const react = (_: unknown, count: number) => (count === 1 ? 'silence' : 'respond');
    const service = await startService({ react });
    const env = { PETSTORE_BASE_URL: service.url, PETSTORE_API_KEY: service.key };
    const killed = start(['categories', 'list'], { env });
    await service.arrived(1);
    killed.child.kill('SIGKILL');

    const { code } = await petstore(['categories', 'list', '--max-wait', '5s'], { env });

    expect(code).toBe(0);
  });
});
