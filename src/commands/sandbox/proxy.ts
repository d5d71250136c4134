import type { Environment } from '../../context.ts';

const loopback = ['127.0.0.1', 'localhost', '::1'];

/**
 * NO_PROXY in both spellings, which programs read in either order: what the user exempts, and this machine. A proxy that is
 * set for http would otherwise be sent the requests to the sandbox, with their key.
 */
export function exemptLoopback({ no_proxy, NO_PROXY }: Environment): Environment {
  return {
    no_proxy: withLoopback(no_proxy || NO_PROXY),
    NO_PROXY: withLoopback(NO_PROXY || no_proxy),
  };
}

/** curl takes `*` for everything only where it stands alone. */
function withLoopback(list: string | undefined): string {
  if (list?.trim() === '*') return list;
  return [...(list ? [list] : []), ...loopback].join(',');
}
