import { expect, reply, test } from '../support/petstore.ts';

const nested = (depth: number) => `${'['.repeat(depth)}${']'.repeat(depth)}`;

/** What is sent, and what is printed where that is something else but for the layout. */
const accepted: readonly (readonly [sent: string, printed?: string])[] = [
  ['[]'],
  ['[0,-1.5,1e+21,123456789012345678901234567890]'],
  ['[null,true,false,"",[],{},[[]],[{}]]'],
  ['{"a":{"b":[1.5,{"c":"d"}]}}'],
  ['{"__proto__":{"a":1},"constructor":2,"toString":3,"":4}'],
  ['{"a":1,"A":2,"á":3,"a\u0301":4}'],
  ['"a\\"\\\\\\n\\t\\r\\b\\f"'],
  ['"\\u0061\\/\\ud83d\\ude00"', '"a/😀"'],
  ['["\\ud83d","\\ude00x"]'],
  ['["\u007f","\u009b31m","\u2028","\u202e"]', '["\\u007f","\\u009b31m","\\u2028","\\u202e"]'],
  ['{"\\u001b\u009b":1}', '{"\\u001b\\u009b":1}'],
  [' \t\r\n[ 1 ,\n{ "a" :\t2 } ] \n', '[1,{"a":2}]'],
  [nested(33)],
  [JSON.stringify('x\n'.repeat(500_000))],
];

const refused: readonly (readonly [sent: string, says?: string])[] = [
  ...['01', '-01', '1.', '.5', '+1', '1e', '1e+', '-', '0x1', '1_0', 'NaN', '-Infinity'],
  ...['nul', 'True', 'nullx', "'a'", '"a', '"a\\', '"\\x"', '"\\u12g4"', '"\t"', '"\u0000"'],
  ...['[', '[1', '[1,', '[1,]', '[,1]', '[1 2]', '[1]]', '[1}', '{"a":1', '{"a":1,}', '{"a" 1}'],
  ...['{a:1}', '{"a"}', '{1:2}', '{"a":}', '1 2', '[1][2]', '{}{}', '[1]x', '\u00a01', '//\n1'],
].map((sent) => [sent] as const);

const refusedAs: readonly (readonly [sent: string, says: string])[] = [
  ['{"a":1,"a":1}', 'duplicate field "a"'],
  ['{"a":1,"b":2,"\\u0061":3}', 'duplicate field "a"'],
  ['[{"a":1},{"b":{"c":1,"c":2}}]', 'duplicate field "c"'],
  ['{"__proto__":1,"__proto__":2}', 'duplicate field "__proto__"'],
  [nested(34), 'nested more than 32 levels deep'],
  [`${'{"a":'.repeat(33)}1${'}'.repeat(33)}`, 'nested more than 32 levels deep'],
];

/** Puts what fits into a title before a row. */
const labelled = ([sent, more]: readonly [string, string?]) =>
  [sent.slice(0, 40), sent, more] as const;

test.for(accepted.map(labelled))(
  'JSON of a response is kept as it came: %s',
  async (row, { petstore, sandbox }) => {
    const [, sent, printed = sent] = row;
    sandbox.react = () => reply(200, sent);

    const { exitCode, stdout } = await petstore('api GET /x -o json');

    expect(exitCode).toBe(0);
    expect(stdout.replace(/\n */g, '').replaceAll('": ', '":') === printed, stdout).toBe(true);
  },
);

test.for([...refused, ...refusedAs].map(labelled))(
  'JSON of a response is refused, and nothing of it printed: %j',
  async ([, sent, says = ''], { petstore, sandbox }) => {
    sandbox.react = () => reply(200, sent);

    const { exitCode, stdout, stderr } = await petstore('api GET /x -o json');

    expect({ exitCode, stdout }).toEqual({ exitCode: 5, stdout: '' });
    expect(JSON.parse(stderr).message).toContain(says);
  },
);
