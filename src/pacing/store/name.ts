import { createHmac } from 'node:crypto';

/**
 * The name of the log of a service and key, which all machines come to by themselves: a keyed hash whose key is the API key
 * itself, the one secret that they share.
 */
export function nameInStore(address: string, key: string): string {
  const hash = createHmac('sha256', key).update(`petstore limit store 1\0${address}`);
  return `petstore:lim:${hash.digest('hex').slice(0, 32)}`;
}
