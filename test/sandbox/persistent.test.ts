import { appendFileSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe } from 'vitest';
import { openSharedSandbox } from '../../src/sandbox/log.ts';
import { plans } from '../../src/sandbox/quota.ts';
import type { SandboxRequest } from '../../src/sandbox/service.ts';
import { sampleState } from '../../src/sandbox/state.ts';
import { startTime } from '../support/clock.ts';
import { expect, test } from '../support/petstore.ts';

const request = (fields: Partial<SandboxRequest> = {}): SandboxRequest => ({
  at: startTime,
  operation: 'listCategories',
  key: 'valid',
  ...fields,
});
const create = (name: string) =>
  request({ operation: 'createCategory', body: JSON.stringify({ name }) });
const open = (path: string) => openSharedSandbox(path, sampleState(), plans.free);

describe('a sandbox kept on disk', () => {
  test('remembers what was created, and what is left of the limit', ({ folder }) => {
    const path = join(folder, 'sandbox', 'requests.log');
    open(path)(create('fish'));

    const { body, headers } = open(path)(request());

    expect(body).toHaveLength(4);
    expect(headers).toMatchObject({ 'x-ratelimit-remaining': '58' });
  });

  test('is one sandbox for all who have it open: no id twice, none lost', ({ folder }) => {
    const path = join(folder, 'requests.log');
    const answerers = [open(path), open(path), open(path)];
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

  test('skips what a killed process left half written, and garbage', ({ folder }) => {
    const path = join(folder, 'requests.log');
    open(path)(create('fish'));
    appendFileSync(path, '\n{"id":"x","at":17,"operation":"createCat');
    open(path)(create('bird'));
    appendFileSync(
      path,
      '\n\u0000\u0000garbage\n\nnull\n{}\n{"at":1,"id":"x","operation":"limits","key":"valid"}\n',
    );

    expect(open(path)(request()).body).toHaveLength(5);
  });

  test.for(['missing', 'invalid', 'foreign'] as const)(
    'writes nothing of a request whose key is %s',
    (key, { folder }) => {
      const path = join(folder, 'requests.log');
      open(path)({ ...create('fish'), petId: '1', key });

      expect(readFileSync(path, 'utf8')).toBe('');
    },
  );

  test('writes no body that creates nothing, and no id of a pet', ({ folder }) => {
    const path = join(folder, 'requests.log');
    const answerer = open(path);

    const refused = answerer(request({ operation: 'createCategory', body: '{"nombre":"fish"}' }));
    const found = answerer(request({ operation: 'getPet', petId: '9007199254740993' }));
    const { headers } = open(path)(request());

    expect([refused.status, found.status]).toEqual([400, 200]);
    expect(readFileSync(path, 'utf8')).not.toMatch(/nombre|9007199254740993/);
    expect(headers).toMatchObject({ 'x-ratelimit-remaining': '57' });
  });
});
