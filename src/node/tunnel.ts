import { request } from 'node:http';
import type { Socket } from 'node:net';
import type { NoTunnel, Obstacle } from '../api/no-tunnel.ts';
import type { HttpProxy } from '../context.ts';
import { systemCode } from '../errors.ts';
import type { Connector, Target } from './connector.ts';

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
  { connector, timeout }: { readonly connector: Connector; readonly timeout: number },
): Promise<Socket> {
  let socket: Socket | undefined;
  let step: NoTunnel['step'] = 'proxy';
  const tooLate = () => socket?.destroy(noTunnel(step, { obstacle: 'silence' }));
  // A socket keeps the process alive, and its end is the end of the wait.
  const deadline = setTimeout(tooLate, timeout).unref();
  const open = (to: Target) =>
    connector.connect(to, (made) => {
      socket = made;
    });
  try {
    const { protocol, hostname, port } = proxy;
    const toProxy = await open({ protocol, hostname, port });
    await askForTunnel(toProxy, authorityOf(target), proxy.credentials);
    step = 'service';
    return await open({ ...target, over: toProxy });
  } catch (error) {
    socket?.destroy();
    throw systemCode(error) === 'NO_TUNNEL'
      ? error
      : noTunnel(step, { obstacle: 'breakdown', cause: error });
  } finally {
    clearTimeout(deadline);
  }
}

function authorityOf({ hostname, port }: Target): string {
  return `${hostname.includes(':') ? `[${hostname}]` : hostname}:${port || 443}`;
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
