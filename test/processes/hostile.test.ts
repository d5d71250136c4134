import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createServer as createTlsServer } from 'node:tls';
import { afterAll, beforeAll, describe } from 'vitest';
import { brokenPromises, canary } from '../hostile/invariants.ts';
import {
  type Certificate,
  type Certificates,
  hasOpenssl,
  makeCertificates,
} from './certificates.ts';
import { expect, test } from './program.ts';

/** What cannot be had in memory: names, addresses, TLS. The built program, in processes of their own. */
describe.concurrent('a service that is not reached', () => {
  const servers: Server[] = [];
  const folder = mkdtempSync(join(tmpdir(), 'petstore-tls-'));
  let certificates: Certificates;
  beforeAll(() => {
    if (hasOpenssl) certificates = makeCertificates(folder);
  });
  afterAll(() => {
    for (const server of servers) server.close();
    rmSync(folder, { recursive: true });
  });

  async function listen(server: Server): Promise<number> {
    servers.push(server);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return (server.address() as { port: number }).port;
  }
  const plain = async (react: (socket: Socket) => void) =>
    listen(createServer((socket) => react(socket.on('error', () => {}))));
  const secure = async (certificate: Certificate) =>
    listen(
      createTlsServer(certificate, (socket) => {
        const answer = 'HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: 2\r\n\r\n[]';
        socket.on('error', () => {}).once('data', () => socket.end(answer));
      }).on('tlsClientError', () => {}),
    );
  const port = (number: number) => `https://127.0.0.1:${number}/v1`;
  const trusted = () => ({ NODE_EXTRA_CA_CERTS: certificates.authority });

  type Row = {
    readonly fault: string;
    readonly url: () => string | Promise<string>;
    readonly says: RegExp;
    readonly env?: () => Record<string, string>;
    readonly timeout?: string;
  };
  const addresses: Row[] = [
    {
      fault: 'a host that nobody knows',
      url: () => 'https://nowhere.invalid/v1',
      says: /cannot find the host nowhere\.invalid/,
    },
    { fault: 'a port where nobody listens', url: () => port(1), says: /127\.0\.0\.1:1 refused/ },
    {
      // To many hosts at once no connection can be made, whatever the network is like.
      fault: 'an address that no connection leads to',
      url: () => 'https://224.0.0.1/v1',
      says: /224\.0\.0\.1 cannot be reached/,
    },
    {
      fault: 'silence where TLS belongs',
      url: async () => port(await plain(() => {})),
      says: /no whole answer from 127\.0\.0\.1:\d+ within 0\.7 s/,
      timeout: '700ms',
    },
    {
      fault: 'an end where TLS belongs',
      url: async () => port(await plain((socket) => socket.once('data', () => socket.end()))),
      says: /127\.0\.0\.1:\d+ broke the connection off/,
    },
    {
      fault: 'a reset where TLS belongs',
      url: async () =>
        port(await plain((socket) => socket.once('data', () => socket.resetAndDestroy()))),
      says: /127\.0\.0\.1:\d+ broke the connection off/,
    },
    {
      fault: 'plain HTTP where TLS belongs',
      url: async () =>
        port(
          await plain((socket) =>
            socket.once('data', () => socket.write('HTTP/1.1 400 No\r\n\r\n')),
          ),
        ),
      says: /does not speak TLS as it should\n.*plain http/s,
    },
  ];
  const byCertificate: Row[] = [
    {
      fault: 'a certificate that has expired',
      url: async () => port(await secure(certificates.expired)),
      env: trusted,
      says: /the certificate of 127\.0\.0\.1:\d+ has expired/,
    },
    {
      fault: 'a certificate for another host',
      url: async () => port(await secure(certificates.wrongHost)),
      env: trusted,
      says: /the certificate of 127\.0\.0\.1:\d+ is for DNS:pets\.example/,
    },
    {
      fault: 'a certificate that nobody else has signed',
      url: async () => port(await secure(certificates.selfSigned)),
      env: trusted,
      says: /is signed by nobody but itself.*NODE_EXTRA_CA_CERTS/s,
    },
    {
      fault: 'the same, and checks switched off by the environment',
      url: async () => port(await secure(certificates.selfSigned)),
      env: () => ({ NODE_TLS_REJECT_UNAUTHORIZED: '0' }),
      says: /NODE_TLS_REJECT_UNAUTHORIZED is ignored.*is signed by nobody but itself/s,
    },
    {
      fault: 'a certificate of an authority that this machine does not know',
      url: async () => port(await secure(certificates.good)),
      says: /comes from an authority this machine does not know.*NODE_EXTRA_CA_CERTS/s,
    },
  ];

  const rows = [...addresses, ...(hasOpenssl ? byCertificate : [])];
  test.for(rows.map((row) => [row.fault, row] as const))(
    '%s: exit 5, nothing was sent',
    async ([, row], { petstore, folder }) => {
      const { url, says, env, timeout = '20s' } = row;
      const variables = { PETSTORE_BASE_URL: await url(), PETSTORE_API_KEY: canary, ...env?.() };
      const options = { env: variables };

      const list = await petstore(['categories', 'list', '--timeout', timeout], options);
      const create = await petstore(['categories', 'create', 'x', '--timeout', timeout], options);

      for (const { code: exitCode, stdout, stderr } of [list, create]) {
        const broken = brokenPromises({ exitCode, stdout, stderr }, false, folder);
        expect({ exitCode, stdout, broken }).toEqual({ exitCode: 5, stdout: '', broken: [] });
        expect(stderr).toMatch(says);
      }
      expect(create.stderr).toContain('\nNothing was sent.\n');
    },
  );

  test.skipIf(!hasOpenssl)('a certificate of an own authority is taken', async ({ petstore }) => {
    const url = port(await secure(certificates.good));
    const env = { PETSTORE_BASE_URL: url, PETSTORE_API_KEY: canary, ...trusted() };

    expect(await petstore(['categories', 'list', '-q', '-o', 'ndjson'], { env })).toEqual({
      code: 0,
      stdout: '',
      stderr: '',
    });
  });

  test.skipIf(!hasOpenssl)(
    'TLS where plain HTTP belongs is no answer: exit 5',
    async ({ petstore, folder }) => {
      const url = `http://127.0.0.1:${await secure(certificates.good)}/v1`;
      const env = { PETSTORE_BASE_URL: url, PETSTORE_API_KEY: canary };

      const { code: exitCode, stdout, stderr } = await petstore(['categories', 'list'], { env });

      expect(exitCode).toBe(5);
      expect(brokenPromises({ exitCode, stdout, stderr }, false, folder)).toEqual([]);
    },
  );
});
