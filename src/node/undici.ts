import type { Socket } from 'node:net';
// @ts-expect-error: undici has types for its main module alone.
import { kParser } from 'undici/lib/core/symbols.js';

/**
 * Lets undici read on after a 100 that nobody asked for (RFC 9110, section 15.2), as it does after 102 and 103, and refuse a 101
 * without Upgrade, on which it would fail.
 */
export function readInterim(socket: Socket): void {
  const parser = (socket as unknown as Record<symbol, Parser>)[kParser] as Parser;
  const { onHeadersComplete } = Object.getPrototypeOf(parser) as Parser;
  parser.onHeadersComplete = (status, isUpgrade, isKept) =>
    onHeadersComplete.call(
      parser,
      status === 100 ? 102 : status,
      isUpgrade || status === 101,
      isKept,
    );
}

type Parser = {
  onHeadersComplete: (status: number, isUpgrade: boolean, isKept: boolean) => number;
};
