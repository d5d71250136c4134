import { describe } from 'vitest';
import { startTime } from '../support/clock.ts';
import { expect, reply, silence, test } from '../support/petstore.ts';
import { never } from '../support/told.ts';
import { interrupted, type WireRequest } from '../support/values.ts';

const list = ['categories', 'list'];
const create = ['categories', 'create', 'rabbit'];
const post = ['api', 'POST', '/categories', '--data', '{"name":"rabbit"}'];

describe('Ctrl-C', () => {
  test.for([
    ['a read', 'is connecting', undefined, 0, list],
    ['a read', 'has left', undefined, 0, list],
    ['a read', 'has half its response', undefined, 0, list],
    ['a write', 'is connecting', 'not_sent', 0, post],
    ['a write', 'has left', 'unknown', 5_000, post],
    ['a write', 'has half its response', 'unknown', 5_000, post],
  ] as const)('while %s %s', async ([, stage, outcome, ms, argv], { petstore, sandbox, clock }) => {
    const ctrlC = new AbortController();
    sandbox.reactions.push((request) => {
      const release = clock.hold();
      const press = () => {
        ctrlC.abort(interrupted(130));
        release();
      };
      return stages[stage](press)(request);
    });

    const { signal } = ctrlC;
    const { exitCode, stdout, events } = await petstore([...argv, '--json'], { signal });

    expect({ exitCode, stdout }).toEqual({ exitCode: 130, stdout: '' });
    const error = events().at(-1);
    expect([error?.kind, error?.outcome]).toEqual(['interrupted', outcome]);
    expect(clock.now() - startTime).toBe(ms);
    expect(sandbox.requests).toHaveLength(1);
  });
});

describe('--timeout', () => {
  test.for([
    ['a read', undefined, 5, [...list, '--timeout', '20s'], 20],
    ['a write, after 30 s unless told otherwise,', 'unknown', 6, post, 30],
  ] as const)(
    'ends %s whose response never ends, which is not sent again',
    async ([, outcome, exit, argv, seconds], { petstore, sandbox, clock }) => {
      sandbox.react = () => begun(200, '[{"id":1,');

      const result = await petstore([...argv, '--json']);

      expect(result).toMatchObject({ exitCode: exit, stdout: '' });
      const error = result.events().at(-1);
      expect(error?.message).toBe(`the request to 127.0.0.1:4010 timed out after ${seconds}s`);
      expect(error?.outcome).toBe(outcome);
      expect(clock.now() - startTime).toBe(seconds * 1_000);
      expect(sandbox.requests).toHaveLength(1);
    },
  );

  test('is between two pieces of a streamed list', async ({ petstore, sandbox, clock }) => {
    sandbox.reactions.push(async ({ onSent }) => {
      onSent();
      const body = (async function* () {
        yield Buffer.from(`${' '.repeat(2 ** 23)}[`);
        for (const seconds of [19, 19, 21]) {
          await clock.sleep(seconds * 1_000, never);
          yield Buffer.from(' ');
        }
        yield Buffer.from(']');
      })();
      return { status: 200, headers: {}, body };
    });

    const { exitCode, stderr } = await petstore([...list, '--timeout', '20s']);

    expect([exitCode, clock.now() - startTime]).toEqual([5, 58_000]);
    expect(stderr).toContain('the rest of the response from 127.0.0.1:4010 timed out after 20s\n');
  });

  test('does not wait for the rest of a refusal: two seconds, and the status counts', async ({
    petstore,
    sandbox,
    clock,
  }) => {
    sandbox.react = () => begun(422, '{"code":"bad_name",');

    const { exitCode, events } = await petstore([...create, '--json']);

    expect(exitCode).toBe(3);
    expect(events().at(-1)).toMatchObject({ kind: 'refused', outcome: 'refused', status: 422 });
    expect(clock.now() - startTime).toBe(2_000);
  });
});

test.for([
  ['a refusal, as much as an Error may be long', 400, 'application/json', 3, 3],
  ['a list that is no JSON, what comes until it is streamed', 200, 'text/html', 5, 130],
] as const)(
  'of %s is read, and the connection is dropped',
  async ([, status, type, exit, maxParts], { petstore, sandbox }) => {
    const part = Buffer.alloc(65_536, 'x');
    let taken = 0;
    let signal: AbortSignal | undefined;
    sandbox.reactions.push(async (request) => {
      request.onSent();
      signal = request.signal;
      const body = (async function* () {
        for (; taken < 1_000; taken += 1) yield part;
      })();
      return { status, headers: { 'content-type': type }, body };
    });

    const { exitCode, stdout } = await petstore(list);

    expect({ exitCode, stdout }).toEqual({ exitCode: exit, stdout: '' });
    expect(taken).toBeLessThanOrEqual(maxParts);
    expect(signal?.aborted).toBe(true);
  },
);

test('a refusal tells of a deprecation, too', async ({ petstore, sandbox }) => {
  sandbox.reactions.push(reply(404, '{}', { sunset: 'Fri, 01 Jan 2027 00:00:00 GMT' }));

  const { events } = await petstore([...list, '--json']);

  const deprecation = { operation: 'GET /categories', sunset: '2027-01-01T00:00:00Z' };
  expect(events()[0]).toMatchObject({ event: 'deprecation', ...deprecation });
});

/** A response of which only this much ever comes; `onStall` is called when the rest is awaited. */
function begun(status: number, text: string, onStall = () => {}) {
  return async (request: WireRequest) => {
    request.onSent();
    const body = (async function* () {
      yield Buffer.from(text);
      onStall();
      await silence;
    })();
    return { status, headers: { 'content-type': 'application/json' }, body };
  };
}

/** How far a request comes before somebody presses Ctrl-C. */
const stages = {
  'is connecting': (press: () => void) => () => {
    press();
    return silence;
  },
  'has left': (press: () => void) => (request: WireRequest) => {
    request.onSent();
    press();
    return silence;
  },
  'has half its response': (press: () => void) => begun(200, '[{"id":1,', press),
};
