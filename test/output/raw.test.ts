import { describe } from 'vitest';
import { expect, reply, test } from '../support/petstore.ts';

describe('-o raw', () => {
  test.for([
    ['"a \\"b\\" c"', 'a "b" c\n'],
    ['""', '\n'],
    ['1.5', '1.5\n'],
    ['-9223372036854775808', '-9223372036854775808\n'],
    ['true', 'true\n'],
    ['null', '\n'],
    ['{"a": [1, "b"]}', '{"a":[1,"b"]}\n'],
    ['[1, "b", null, "c d"]', '1\nb\n\nc d\n'],
    ['[]', ''],
    ['[[1, "b"], {"c": null}]', '[1,"b"]\n{"c":null}\n'],
    // On one line, on which nothing acts.
    ['["a\\nb"]', 'a\\u{a}b\n'],
    ['["a\\u0000b\\u001b[2J"]', 'a\\u{0}b\\u{1b}[2J\n'],
    ['["C:\\\\Users\\\\n"]', 'C:\\Users\\n\n'],
    ['["a\\\\u{a}b"]', 'a\\u{5c}u{a}b\n'],
  ] as const)('prints %s as %j', async ([json, stdout], { petstore, sandbox }) => {
    sandbox.react = () => reply(200, json);

    const result = await petstore(['api', 'GET', '/any', '-o', 'raw']);

    expect(result).toMatchObject({ exitCode: 0, stdout });
  });
});
