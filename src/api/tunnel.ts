import { request } from 'node:http';
import type { Socket } from 'node:net';
import type { HttpProxy } from '../context.ts';
import { systemCode } from '../errors.ts';
import type { NoTunnel, Obstacle } from './no-tunnel.ts';

type Target = {
  readonly protocol: string;
  readonly hostname: string;
  readonly port: string;
  /** With brackets, and with a port that is not the scheme's own. */
  readonly host?: string;
  readonly httpSocket?: Socket;
};

/** Undici's connector: one TCP or TLS connection, or TLS over `httpSocket`. */
export type Connect = (
  target: Target,
  callback: (...made: [null, Socket] | [Error, null]) => void,
) => Socket;

/** Longest header of the proxy's answer, in bytes. */
const maxHeader = 16 * 1024;

/**
 * A TLS connection to `target` through the proxy, which is asked once; all of it within `timeout` ms.
 * What is meant for the service leaves only inside it, so the proxy sees no more than the address.
 * @throws NoTunnel
 */
export async function openTunnel(
  proxy: HttpProxy,
  target: Target,
  { connect, timeout }: { readonly connect: Connect; readonly timeout: number },
): Promise<Socket> {
  let socket: Socket | undefined;
  let step: NoTunnel['step'] = 'proxy';
  const tooLate = () => socket?.destroy(noTunnel(step, { obstacle: 'silence' }));
  // A socket keeps the process alive, and its end is the end of the wait.
  const deadline = setTimeout(tooLate, timeout).unref();
  const open = (options: Target) =>
    new Promise<Socket>((resolve, reject) => {
      socket = connect(options, (error, socket) => (error ? reject(error) : resolve(socket)));
    });
  try {
    const { protocol, hostname, port, name } = proxy;
    const toProxy = await open({ protocol, hostname, port, host: name });
    const { host = target.hostname, port: targetPort } = target;
    await askForTunnel(toProxy, targetPort ? host : `${host}:443`, proxy.credentials);
    step = 'service';
    return await open({ ...target, httpSocket: toProxy });
  } catch (error) {
    socket?.destroy();
    throw systemCode(error) === 'NO_TUNNEL'
      ? error
      : noTunnel(step, { obstacle: 'breakdown', cause: error });
  } finally {
    clearTimeout(deadline);
  }
}

/** Resolves when the proxy has answered that all further bytes go to `authority` and come from it. */
function askForTunnel(
  socket: Socket,
  authority: string,
  credentials: string | undefined,
): Promise<void> {
  const authorization = credentials && `Basic ${Buffer.from(credentials).toString('base64')}`;
  return new Promise((resolve, reject) => {
    const asked = request({
      method: 'CONNECT',
      path: authority,
      headers: { host: authority, ...(authorization && { 'proxy-authorization': authorization }) },
      createConnection: () => socket,
      maxHeaderSize: maxHeader,
      insecureHTTPParser: false,
    });
    asked.once('connect', ({ statusCode: status = 0, headers }, _, early) => {
      if (status < 200 || status > 299) {
        const schemes = headers['proxy-authenticate'] ?? '';
        const basic = schemes === '' || /\bbasic\b/i.test(schemes);
        reject(noTunnel('proxy', { obstacle: 'refusal', status, basic }));
      } else if (early.length > 0) {
        // In TLS the client speaks first.
        const cause = Object.assign(new Error('it spoke before TLS'), { code: 'EPROTO' });
        reject(noTunnel('service', { obstacle: 'breakdown', cause }));
      } else resolve();
    });
    asked.on('error', reject);
    asked.end();
  });
}

function noTunnel(step: NoTunnel['step'], obstacle: Obstacle): NoTunnel {
  return Object.assign(new Error('no tunnel'), { code: 'NO_TUNNEL' as const, step, ...obstacle });
}
