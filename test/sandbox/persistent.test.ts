import { readdirSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe } from 'vitest';
import type { SandboxRequest } from '../../src/sandbox/service.ts';
import { openSharedSandbox } from '../../src/sandbox/shared-sandbox.ts';
import { startTime } from '../support/clock.ts';
import { expect, test } from '../support/petstore.ts';

describe('a sandbox kept on disk', () => {
  test('is one sandbox for all who have it open: no id twice, none lost', async ({ folder }) => {
    const answerers = [open(folder), open(folder)];
    const names = Array.from({ length: 10 }, (_, n) => `c${n}`);
    const replies = [];
    for (const [n, name] of names.entries()) replies.push(await answerers[n % 2]?.(create(name)));

    const ids = [4, 5, 6, 7, 8, 9, 10, 11, 12, 13].map((id) => ({ id }));
    expect(replies.map((reply) => reply?.body)).toMatchObject(ids);
    for (const answer of [...answerers, open(folder)])
      expect((await answer(request())).body).toHaveLength(13);
    const { headers } = await open(folder)(request());
    expect(headers).toMatchObject({ 'x-ratelimit-remaining': '46' });
  });

  test('loses nothing that two create at the same moment', async ({ folder }) => {
    await Promise.all([open(folder)(create('bird')), open(folder)(create('fish'))]);

    const { body } = await open(folder)(request());
    expect((body as { id: number }[]).map(({ id }) => id)).toEqual([1, 2, 3, 4, 5]);
  });

  test('goes on from the last whole state if the newest is damaged', async ({ folder }) => {
    await open(folder)(create('fish'));
    await open(folder)(create('bird'));
    truncateSync(filesIn(folder).at(-1) ?? '', 200);

    expect((await open(folder)(create('toad'))).body).toMatchObject({ id: 5 });
    expect((await open(folder)(request())).body).toHaveLength(5);
  });

  test.for(['missing', 'invalid', 'foreign'] as const)(
    'writes nothing of a request whose key is %s',
    async (key, { folder }) => {
      await open(folder)({ ...create('fish'), key });

      expect(readdirSync(folder)).toEqual([]);
    },
  );

  test('keeps the ban, and nothing of the requests that led to it', async ({ folder }) => {
    const answerers = [open(folder), open(folder)];
    for (let n = 0; n < 300; n += 1) await answerers[n % 2]?.(request());

    expect((await open(folder)(request())).body).toMatchObject({ code: 'key_banned' });
    const sizes = filesIn(folder).map((path) => statSync(path).size);
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(10_000);
  });

  test('goes on in memory where nothing can be saved, and says so once', async ({ folder }) => {
    writeFileSync(join(folder, 'file'), '');
    for (const nowhere of [undefined, join(folder, 'file')]) {
      const notices: string[] = [];
      const answerer = open(nowhere, notices);

      expect((await answerer(create('fish'))).status).toBe(201);
      expect((await answerer(request())).body).toHaveLength(4);
      expect(notices).toEqual([expect.stringMatching(/^cannot save the sandbox/)]);
    }
  });
});

function open(folder: string | undefined, notices: string[] = []) {
  const context = { now: () => startTime, uid: process.getuid?.() };
  return openSharedSandbox(context, folder, (message) => notices.push(message));
}

function request(fields: Partial<SandboxRequest> = {}): SandboxRequest {
  return { at: startTime, operation: 'GET /v1/categories', key: 'valid', ...fields };
}

function create(name: string): SandboxRequest {
  return request({ operation: 'POST /v1/categories', body: JSON.stringify({ name }) });
}

function filesIn(folder: string): string[] {
  const names = readdirSync(join(folder, 'sandbox')).sort((a, b) => Number(a) - Number(b));
  return names.map((name) => join(folder, 'sandbox', name));
}
