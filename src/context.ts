import type { Readable } from 'node:stream';
import type { StateFiles } from './disk/state-files.ts';
import type { Cell } from './store/cell.ts';
import type { FileCellOptions } from './store/file-cell.ts';

/** A process. `born` names, on Linux, the start of the machine and the container in which no other process has its id. */
export type Owner = {
  readonly pid: number;
  readonly host: string;
  readonly born?: string | undefined;
};

/** Everything petstore touches outside itself. Tests build their own. */
export type Context = {
  readonly stdin: Readable & { readonly isTTY?: boolean };
  readonly stdout: Output;
  readonly stderr: Output;
  readonly env: Environment;
  readonly platform: string;
  readonly nodeVersion: string;
  readonly uid: number | undefined;
  readonly home: string;
  readonly send: Send;
  readonly now: () => number;
  /** Milliseconds since the machine started, sleep included. Nobody can set this clock, so waits are measured by it. */
  readonly uptime: () => number;
  /** Identifies this start of the machine, as far as the system can (store/owner.ts). */
  readonly boot: string;
  /** Rejects with the signal's reason if that is aborted first. */
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
  /** Resolves after pending I/O callbacks, like `setImmediate`. */
  readonly yieldToIo: () => Promise<void>;
  readonly random: () => number;
  /** Aborted with an Interruption when the user or the system ends the run. */
  readonly signal: AbortSignal;
  readonly onWarning: (listener: (warning: string) => void) => void;
  readonly askSecret: (question: string, validate: Validate) => Promise<string>;
  readonly askLine: (question: string, validate: Validate) => Promise<string>;
  readonly confirm: (question: string) => Promise<boolean>;
  /** Runs another program on our streams, passes interruptions on to it, and resolves with its exit code. */
  readonly launch: (program: readonly string[], env: Environment) => Promise<number>;
  readonly capture: (command: string, options: CaptureOptions) => Promise<Captured>;
  /** Returns a client of a Redis or Valkey server, which connects when it is used. */
  readonly openEngine: (address: EngineAddress) => Promise<Engine>;
  readonly stateFiles: StateFiles;
  readonly fileCell: <Value>(folder: string, options: FileCellOptions) => Cell<Value>;
  /** The argv that starts petstore itself: the Node binary and the launcher. */
  readonly self: readonly string[];
  readonly owner: Owner;
  readonly isRunning: (owner: Owner) => boolean | undefined;
};

/** Returns true for a valid answer, else what is wrong with it. */
export type Validate = (answer: string) => true | string;

export type Environment = Readonly<Record<string, string | undefined>>;

/** Returns true if nobody watches the run. CI=false is how one says on one's own machine that somebody does. */
export function isCi({ CI = '' }: Environment): boolean {
  return !/^(?:|0|false)$/i.test(CI);
}

export type Output = {
  /** Resolves once the system has taken the text. */
  readonly write: (text: string) => Promise<void>;
  readonly isTTY: boolean;
  /** The terminal's width in cells, or 80 if it reports none; undefined if it is no terminal. */
  readonly columns: number | undefined;
  readonly stream: NodeJS.WriteStream | undefined;
};

export type CaptureOptions = {
  readonly env: Environment;
  readonly folder: string;
  /** If true, the program may ask on our terminal. Otherwise its stdin is empty and its stderr is dropped. */
  readonly terminal: boolean;
  /** Maximum number of characters; a program that prints more is killed. */
  readonly limit: number;
  readonly signal: AbortSignal;
};

export type Captured = {
  /** 128 and more after a signal, as in shells. */
  readonly exitCode: number;
  readonly stdout: string;
};

export type EngineAddress = {
  readonly tls: boolean;
  /** An IPv6 address has no brackets. */
  readonly hostname: string;
  readonly port: number;
  readonly user: string | undefined;
  readonly password: string | undefined;
  readonly database: number;
};

export type Engine = {
  /** Runs the script of the store (store/store-cell.ts) with one key. Rejects with the server's error or the system's. */
  readonly swap: (key: string, args: readonly string[]) => Promise<unknown>;
};

/** Header fields by lower-case name; a field sent more than once has more than one value. */
export type WireHeaders = Readonly<Record<string, string | readonly string[] | undefined>>;

export type HttpProxy = {
  readonly origin: string;
  readonly name: string;
  /** "USER:PASSWORD", for the proxy alone. */
  readonly credentials: string | undefined;
  readonly source: string;
};

export type WireRequest = {
  readonly method: string;
  readonly url: URL;
  /** Only for https; undefined connects directly. */
  readonly proxy?: HttpProxy | undefined;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
  readonly signal: AbortSignal;
  /** Awaited when the connection stands, TLS included, and nothing has been written. If it rejects, nothing is. */
  readonly lastCheck?: (() => Promise<void>) | undefined;
  readonly onSent: () => void;
};

export type WireAnswer = {
  readonly status: number;
  readonly headers: WireHeaders;
  readonly body: AsyncIterable<Uint8Array>;
};

/** Sends a request once, without redirects and decoding. */
export type Send = (request: WireRequest) => Promise<WireAnswer>;
