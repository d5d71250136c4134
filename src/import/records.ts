import { crc32 } from 'node:zlib';
import type { Mode } from './content.ts';

/** The lines of a journal; `row` counts the file's rows from 0, times are ms since 1970. */
export type Entry =
  | Header
  /** Ids of categories that are there already and might be taken for ours. */
  | { readonly k: 'b'; readonly ids: readonly string[] }
  /** It is about to be sent. */
  | { readonly k: 'i'; readonly row: number; readonly at: number }
  /** No whole answer came: what became of it is unknown. */
  | { readonly k: 'u'; readonly row: number; readonly at: number }
  /** It was created: the service said so, or the list shows it; `as` is its name if the service changed it. */
  | {
      readonly k: 'd';
      readonly row: number;
      readonly id: string;
      readonly via: '201' | 'list';
      readonly as?: string;
    }
  /** It surely was not created, or is not there any more. */
  | { readonly k: 'n'; readonly row: number }
  /** The service refused it. */
  | {
      readonly k: 'r';
      readonly row: number;
      readonly status: number;
      readonly code?: string;
      readonly message?: string;
    }
  /** All rows are done, and a last look at the list has shown them. */
  | { readonly k: 'e'; readonly at: number };

export type Header = {
  readonly k: 'h';
  readonly v: 1;
  readonly at: number;
  readonly address: string;
  readonly sha256: string;
  readonly rows: number;
  /** The file's real path; not there for standard input. */
  readonly path?: string;
  readonly mode: Mode;
  /** Of the key, by `salt`: tells whether it is another one, and nothing else. */
  readonly fingerprint: string;
  readonly salt: string;
};

/** CRC-32 in eight hexadecimal digits, a space, JSON, a line feed. */
export function formatEntry(entry: Entry): string {
  const json = JSON.stringify(entry);
  return `${checksum(json)} ${json}\n`;
}

/** The entry of a line; undefined for one that is torn or damaged, 'newer' for one that a later version wrote. */
export function parseEntry(line: string): Entry | 'newer' | undefined {
  const json = line.slice(9);
  if (line[8] !== ' ' || line.slice(0, 8) !== checksum(json)) return undefined;
  // A checksum that is right vouches for the rest of the line.
  const entry: unknown = JSON.parse(json);
  return isEntry(entry) ? entry : 'newer';
}

function isEntry(value: unknown): value is Entry {
  const { k, v } = (value ?? {}) as { k?: unknown; v?: unknown };
  return k === 'h'
    ? v === 1
    : typeof k === 'string' && ['b', 'i', 'u', 'd', 'n', 'r', 'e'].includes(k);
}

function checksum(json: string): string {
  return crc32(json).toString(16).padStart(8, '0');
}
