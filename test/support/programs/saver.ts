import { writeSync } from 'node:fs';
import { Readable } from 'node:stream';
import type { Context } from '../../../src/context.ts';
import { createNodeContext } from '../../../src/node/node-context.ts';
import { run } from '../../../src/run.ts';

/** Saves a setting and a key again and again until it is killed, and tells the number in both before it begins. */
const context = createNodeContext(new AbortController().signal);
const login = ['auth', 'login', '--base-url', 'https://a.example/v1', '-q'];

for (let number = 1; ; number += 1) {
  writeSync(1, `${number}\n`);
  const stdin: Context['stdin'] = Readable.from([`the-key-${number}`]);
  const saved = await run(['config', 'set', 'max-wait', `${number}`, '-q'], context);
  const stored = await run(login, Object.create(context, { stdin: { value: stdin } }));
  if (saved + stored !== 0) process.exit(9);
}
