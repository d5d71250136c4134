import { mkdtempSync, rmSync } from 'node:fs';
import type { Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createServer } from 'node:tls';
import { afterAll, beforeAll, describe } from 'vitest';
import { commands, writeInputs } from '../hostile/commands.ts';
import { brokenPromises, canary } from '../hostile/invariants.ts';
import { nodes } from '../support/nodes.ts';
import {
  type Authority,
  type Certificate,
  makeAuthority,
  selfSign,
} from '../support/own-authority.ts';
import { expect, launcher, test } from '../support/program.ts';

/** What Node decides as it starts: which authorities it knows, and whether it checks. The built program, on every Node. */
describe.concurrent('a certificate that is not accepted (needs openssl)', {
  tags: ['openssl'],
}, () => {
  const servers: Server[] = [];
  let folder: string;
  let authority: Authority;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'petstore-tls-'));
    authority = makeAuthority(folder);
  });
  afterAll(() => {
    for (const server of servers) server.close();
    rmSync(folder, { recursive: true });
  });

  /** The environment of a service that shows this certificate. */
  async function serve(certificate: Certificate): Promise<Record<string, string>> {
    const server = createServer(certificate, (socket) => {
      const answer = 'HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: 2\r\n\r\n[]';
      socket.on('error', () => {}).once('data', () => socket.end(answer));
    }).on('tlsClientError', () => {});
    servers.push(server);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as { port: number };
    return {
      PETSTORE_BASE_URL: `https://127.0.0.1:${port}/v1`,
      PETSTORE_API_KEY: canary,
      NODE_EXTRA_CA_CERTS: authority.path,
    };
  }

  const here = ['IP:127.0.0.1'];
  const rows = [
    {
      fault: 'one that has expired',
      certificate: () => authority.certify(here, '2020-02-29', '2021-03-01'),
      says: /cannot verify the certificate of 127\.0\.0\.1:\d+: expired \(valid 2020-02-29 to 2021-03-01\)\n/,
    },
    {
      fault: 'one that is not valid yet',
      certificate: () => authority.certify(here, '2098-01-01', '2099-01-01'),
      says: /cannot verify the certificate of 127\.0\.0\.1:\d+: not yet valid \(valid 2098-01-01 to 2099-01-01\)\n/,
    },
    {
      fault: 'one for other hosts',
      certificate: () => authority.certify(['DNS:pets.example', 'DNS:*.pets.example']),
      says: /cannot verify the certificate of 127\.0\.0\.1:\d+: issued for DNS:pets\.example, DNS:\*\.pets\.example\n/,
    },
    {
      fault: 'one that nobody else has signed, with checks switched off by the environment',
      certificate: () => selfSign(folder),
      env: { NODE_TLS_REJECT_UNAUTHORIZED: '0' },
      says: /NODE_TLS_REJECT_UNAUTHORIZED is ignored.*self-signed certificate\n/s,
    },
  ];

  test.for(nodes.flatMap((node) => rows.map((row) => [row.fault, node, row] as const)))(
    '%s, on %s: exit 5, nothing was sent, and it is said why',
    async ([, node, { certificate, env, says }], { execute, folder }) => {
      const variables = { ...(await serve(certificate())), ...env };
      writeInputs(folder);

      for (const { argv, json = false, listsWell } of Object.values(commands)) {
        if (listsWell) continue;
        const result = await execute(node, [launcher, ...argv], { env: variables });

        const { code: exitCode, stdout, stderr } = result;
        const broken = brokenPromises({ exitCode, stdout, stderr }, json, folder);
        expect({ exitCode, stdout, broken }).toEqual({ exitCode: 5, stdout: '', broken: [] });
        if (!json) expect(stderr).toMatch(says);
        if (argv.includes('create')) expect(stderr).toContain('"outcome":"not_sent"');
      }
    },
  );

  test.for(nodes)('one of an own authority is taken, on %s', async (node, { execute }) => {
    const env = await serve(authority.certify(here));
    const list = [launcher, 'categories', 'list', '-q', '-o', 'ndjson'];

    expect(await execute(node, list, { env })).toEqual({
      code: 0,
      stdout: '',
      stderr: '',
    });
  });
});
