import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import type { Context, Output } from '../../../src/context.ts';
import { createNodeContext } from '../../../src/node/node-context.ts';
import { run } from '../../../src/run.ts';

/** What a program of its own runs, as the user that it is: one command after the other; of each it prints the end, a line of JSON. */
export type Commands = readonly {
  readonly argv: readonly string[];
  readonly stdin: string;
  readonly home: string;
}[];

export type Ends = readonly {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}[];

const context = createNodeContext(new AbortController().signal);
for (const { argv, stdin, home } of JSON.parse(await text(process.stdin)) as Commands) {
  const said = { stdout: '', stderr: '' };
  const output = (name: keyof typeof said): Output => ({
    write: async (part) => {
      said[name] += part;
    },
    isTTY: false,
    columns: undefined,
    stream: undefined,
  });
  const own: Partial<Context> = {
    stdin: Readable.from([stdin]),
    stdout: output('stdout'),
    stderr: output('stderr'),
    env: { PETSTORE_BASE_URL: 'http://127.0.0.1:9/v1' },
    home,
    // The service that verifies the key of a login.
    async send(request) {
      if (request.url.port !== '9') return context.send(request);
      request.onSent();
      const body = Readable.from([Buffer.from('[]')]);
      return { status: 200, headers: { 'content-type': 'application/json' }, body };
    },
  };
  const code = await run(argv, Object.create(context, Object.getOwnPropertyDescriptors(own)));
  process.stdout.write(`${JSON.stringify({ code, ...said })}\n`);
}
