import type { Readable } from 'node:stream';

/** Everything petstore touches outside itself. Tests build their own. */
export type Context = {
  readonly stdin: Readable & { readonly isTTY?: boolean };
  readonly stdout: Output;
  readonly stderr: Output;
  readonly env: Environment;
  readonly platform: string;
  /** For example "v20.19.0". */
  readonly nodeVersion: string;
  /** The user's number, where the system has such. */
  readonly uid: number | undefined;
  /** The user's home folder as the system names it; may be empty. */
  readonly home: string;
  /** Where files that need not outlast the machine's run may be: for all processes of the user the same, whatever their environment. */
  readonly temporary: string;
  readonly send: Send;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Milliseconds that the machine has been on, sleep included: what is waited for is measured by it, since nobody can set it. */
  readonly uptime: () => number;
  /** Names this start of the machine, as far as the system can tell it from others (disk/owner.ts). */
  readonly boot: string;
  /** Resolves after that many milliseconds; rejects with the signal's reason. */
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
  /** Resolves when all that had arrived by now was taken in. */
  readonly turn: () => Promise<void>;
  /** In [0, 1). */
  readonly random: () => number;
  /** Aborted with an Interruption when the user or the system ends the run. */
  readonly signal: AbortSignal;
  /** Calls `listener` with each warning of the runtime from now on. */
  readonly onWarning: (listener: (warning: string) => void) => void;
  /** Asks for a secret on the terminal without showing it. */
  readonly askSecret: (question: string) => Promise<string>;
  /** Asks on the terminal for a line of text. */
  readonly askLine: (question: string) => Promise<string>;
  /** Asks on the terminal for a yes or a no; Enter alone is a no. */
  readonly confirm: (question: string) => Promise<boolean>;
  /** Runs another program on this one's streams, tells it when the run is interrupted, and resolves with its exit code. */
  readonly launch: (program: readonly string[], env: Environment) => Promise<number>;
  /** Runs a command line in a shell and resolves with what it printed. @throws the signal's reason, the system's error */
  readonly capture: (command: string, options: CaptureOptions) => Promise<Captured>;
  /** The way to a Redis or Valkey server; it connects when it is used. */
  readonly openEngine: (address: EngineAddress) => Promise<Engine>;
  /** Opens or makes a file that only grows, private to the user. @throws the system's error */
  readonly openAppendFile: (path: string) => AppendFile;
  /** The argv that starts petstore itself: the Node binary and the launcher. */
  readonly self: readonly string[];
  /** This process, as others can tell it from any other. */
  readonly owner: Owner;
  /** Whether a process still runs; of one on another machine nobody can know, and it counts as running. */
  readonly isRunning: (owner: Owner) => boolean;
};

/** A Redis or Valkey server, and how to log in there. */
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
  /** Runs a Lua script with one key there. @throws the server's error or the system's */
  readonly run: (script: string, key: string, args: readonly string[]) => Promise<unknown>;
  /** Changes with each sign of life: the connection is accepted, a part of an answer arrives. */
  readonly activity: () => number;
  /** Gives up the connection and all that is on its way; the next call makes a new one. */
  readonly drop: () => void;
};

/** A file that only grows, and whose growth lasts. */
export type AppendFile = {
  /** All bytes that are there, but at most so many. */
  readonly read: (most: number) => Uint8Array;
  /** Cuts off what follows the first `length` bytes. */
  readonly cut: (length: number) => void;
  /** Resolves when the bytes would survive a power cut. @throws the system's error */
  readonly append: (bytes: Uint8Array) => Promise<void>;
  readonly close: () => void;
};

export type CaptureOptions = {
  readonly env: Environment;
  /** Where it runs. */
  readonly folder: string;
  /** Whether stdin and stderr are ours, so that it can ask for something; else it reads nothing, and its stderr is dropped. */
  readonly terminal: boolean;
  /** Characters; a program that prints more is ended. */
  readonly limit: number;
  /** Ends it. */
  readonly signal: AbortSignal;
};

export type Captured = {
  /** 128 and more for a signal, as shells have it. */
  readonly exitCode: number;
  readonly stdout: string;
};

/** A process. `born` tells it from others that had its id before, where the system knows; it means nothing else. */
export type Owner = {
  readonly pid: number;
  readonly host: string;
  readonly born?: string | undefined;
  /** Within which the id is its own, where the system knows more than one such space. */
  readonly space?: string | undefined;
};

export type Environment = Readonly<Record<string, string | undefined>>;

export type Output = {
  /** Resolves when the system took the text; rejects with its error (EPIPE, ENOSPC …). */
  readonly write: (text: string) => Promise<void>;
  readonly isTTY: boolean;
  /** Cells of the terminal to lay out for; 80 where it says less than 20 or nothing; undefined when it is none. */
  readonly columns: number | undefined;
  /** The stream itself, for a spinner; undefined where there is none. */
  readonly stream: NodeJS.WriteStream | undefined;
};

/** Header fields by lower-case name; a field sent more than once has more than one value. */
export type WireHeaders = Readonly<Record<string, string | readonly string[] | undefined>>;

/** A proxy that is asked for a tunnel to the service. */
export type HttpProxy = {
  readonly protocol: 'http:' | 'https:';
  /** An IPv6 address has no brackets. */
  readonly hostname: string;
  readonly port: string;
  /** For messages: HOST:PORT, without credentials. */
  readonly name: string;
  /** "USER:PASSWORD", for the proxy alone. */
  readonly credentials: string | undefined;
  /** The variable that names it, for messages. */
  readonly source: string;
};

export type WireRequest = {
  readonly method: string;
  readonly url: URL;
  /** The way to an https address; undefined is the direct one. */
  readonly proxy?: HttpProxy | undefined;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
  /** Gives the request up at once; the connection is not used again. */
  readonly signal: AbortSignal;
  /**
   * Asked when the connection is established, TLS included, and no byte of the request has left. If not, none does, and the
   * request fails with the code TURN_RETURNED.
   */
  readonly stillGranted?: (() => Promise<boolean>) | undefined;
  /** Called when a connection stands and the first byte is about to leave. */
  readonly onSent: () => void;
};

export type WireAnswer = {
  readonly status: number;
  readonly headers: WireHeaders;
  readonly body: AsyncIterable<Uint8Array>;
};

/** One request over the network, no retries, no redirects, no decoding. */
export type Send = (request: WireRequest) => Promise<WireAnswer>;
