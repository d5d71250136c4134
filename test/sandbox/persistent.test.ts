import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe } from 'vitest';
import type { SandboxRequest } from '../../src/sandbox/service.ts';
import { openSharedSandbox } from '../../src/sandbox/shared-sandbox.ts';
import { startTime } from '../support/clock.ts';
import { expect, test } from '../support/petstore.ts';

const request = (fields: Partial<SandboxRequest> = {}): SandboxRequest => ({
  at: startTime,
  operation: 'GET /v1/categories',
  key: 'valid',
  ...fields,
});
const create = (name: string) =>
  request({ operation: 'POST /v1/categories', body: JSON.stringify({ name }) });
const filesIn = (folder: string) =>
  readdirSync(join(folder, 'sandbox'))
    .sort((a, b) => Number(a) - Number(b))
    .map((name) => join(folder, 'sandbox', name));

function open(folder: string | undefined, notices: string[] = []) {
  const context = { now: () => startTime, uid: process.getuid?.() };
  return openSharedSandbox(context, folder, (message) => notices.push(message));
}

describe('a sandbox kept on disk', () => {
  test('remembers what was created, and what is left of the limit', ({ folder }) => {
    open(folder)(create('fish'));

    const { body, headers } = open(folder)(request());

    expect(body).toHaveLength(4);
    expect(headers).toMatchObject({ 'x-ratelimit-remaining': '58' });
  });

  test('is one sandbox for all who have it open: no id twice, none lost', ({ folder }) => {
    const answerers = [open(folder), open(folder), open(folder)];
    const ids = new Set<string>();
    for (let n = 0; n < 10; n += 1) {
      for (const answer of answerers) {
        const { body } = answer(create(`c${n}`));
        ids.add(String((body as { id: unknown }).id));
      }
    }

    expect(ids.size).toBe(30);
    for (const answer of answerers) expect(answer(request()).body).toHaveLength(33);
  });

  test('goes on from the last whole state if the newest is damaged', ({ folder }) => {
    open(folder)(create('fish'));
    const newest = filesIn(folder).at(-1) ?? '';
    open(folder)(create('bird'));
    writeFileSync(filesIn(folder).at(-1) ?? '', readFileSync(newest).subarray(0, 200));

    const { body } = open(folder)(create('toad'));

    expect(body).toMatchObject({ id: 5 });
    expect(open(folder)(request()).body).toHaveLength(5);
  });

  test.for(['missing', 'invalid', 'foreign'] as const)(
    'writes nothing of a request whose key is %s',
    (key, { folder }) => {
      open(folder)({ ...create('fish'), petId: '1', key });

      expect(filesIn(folder)).toEqual([]);
    },
  );

  test('keeps the ban, and nothing of the requests that led to it', ({ folder }) => {
    const answerers = [open(folder), open(folder)];
    for (let n = 0; n < 1_000; n += 1) answerers[n % 2]?.(request());

    const { body } = open(folder)(request());

    expect(body).toMatchObject({ code: 'key_banned' });
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
