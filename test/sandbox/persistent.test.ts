import { readdirSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe } from 'vitest';
import type { SandboxRequest } from '../../src/sandbox/service.ts';
import { openSharedSandbox } from '../../src/sandbox/shared-sandbox.ts';
import { startTime } from '../support/clock.ts';
import { expect, test } from '../support/petstore.ts';

describe('a sandbox kept on disk', () => {
  test('is one sandbox for all who have it open: no id twice, none lost', ({ folder }) => {
    const answerers = [open(folder), open(folder)];
    const replies = Array.from({ length: 10 }, (_, n) => answerers[n % 2]?.(create(`c${n}`)));

    const ids = [4, 5, 6, 7, 8, 9, 10, 11, 12, 13].map((id) => ({ id }));
    expect(replies.map((reply) => reply?.body)).toMatchObject(ids);
    for (const answer of [...answerers, open(folder)])
      expect(answer(request()).body).toHaveLength(13);
    const { headers } = open(folder)(request());
    expect(headers).toMatchObject({ 'x-ratelimit-remaining': '46' });
  });

  test('loses nothing that two create at the same moment', ({ folder }) => {
    const [one, other] = [open(folder), open(folder)];
    const { body = '', ...bird } = create('bird');
    let left = 1;
    const atOnce = {
      ...bird,
      get body() {
        if (left > 0) other(create('fish'));
        left = 0;
        return body;
      },
    };

    expect(one(atOnce).body).toMatchObject({ id: 5, name: 'bird' });
    expect(open(folder)(request()).body).toHaveLength(5);
  });

  test('goes on from the last whole state if the newest is damaged', ({ folder }) => {
    open(folder)(create('fish'));
    open(folder)(create('bird'));
    truncateSync(filesIn(folder).at(-1) ?? '', 200);

    expect(open(folder)(create('toad')).body).toMatchObject({ id: 5 });
    expect(open(folder)(request()).body).toHaveLength(5);
  });

  test.for(['missing', 'invalid', 'foreign'] as const)(
    'writes nothing of a request whose key is %s',
    (key, { folder }) => {
      open(folder)({ ...create('fish'), key });

      expect(filesIn(folder)).toEqual([]);
    },
  );

  test('keeps the ban, and nothing of the requests that led to it', ({ folder }) => {
    const answerers = [open(folder), open(folder)];
    for (let n = 0; n < 300; n += 1) answerers[n % 2]?.(request());

    expect(open(folder)(request()).body).toMatchObject({ code: 'key_banned' });
    const sizes = filesIn(folder).map((path) => statSync(path).size);
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(10_000);
  });

  test('goes on in memory where nothing can be saved, and says so once', ({ folder }) => {
    writeFileSync(join(folder, 'file'), '');
    for (const nowhere of [undefined, join(folder, 'file')]) {
      const notices: string[] = [];
      const answerer = open(nowhere, notices);

      expect(answerer(create('fish')).status).toBe(201);
      expect(answerer(request()).body).toHaveLength(4);
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
