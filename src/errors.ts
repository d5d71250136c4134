export const exitCodes = {
  internal: 1,
  usage: 2,
  config: 2,
  refused: 3,
  auth: 4,
  network: 5,
  service: 5,
  outcome_unknown: 6,
  partial: 7,
  output: 74,
  rate_limited: 75,
  interrupted: 130,
} as const;

export type FailureKind = keyof typeof exitCodes;

/** The outcome of a write: "created" for a create, "done" for any other one that succeeded. A read has none. */
export type Outcome = 'not_sent' | 'refused' | 'created' | 'done' | 'unknown';

/** The service's own Error (interface document, section 2), or what others send in its place; `status` is the HTTP status. */
export type ServiceError = {
  readonly code?: string;
  readonly message?: string;
  readonly status: number;
  /** Set if the body is no JSON: what it is, and its first line or its title, if it has one. */
  readonly text?: { readonly form: string; readonly line: string };
};

export type FailureDetails = {
  readonly faults?: readonly string[] | undefined;
  readonly consequence?: string | undefined;
  readonly hint?: string | undefined;
  readonly outcome?: Outcome | undefined;
  readonly service?: ServiceError | undefined;
  /** The time to try again, in milliseconds of this machine's clock. */
  readonly resetAt?: number | undefined;
  readonly retryAfter?: number | undefined;
  /** Replaces the exit code of the kind, for example by 143 after SIGTERM. */
  readonly exitCode?: number | undefined;
  /** The service could not be reached, or says that it is away: it may be back in a while. */
  readonly isAway?: boolean | undefined;
  readonly cause?: unknown;
};

/** An expected error, shown in at most three lines and without a stack. */
export class Failure extends Error {
  readonly exitCode: number;

  constructor(
    readonly kind: FailureKind,
    message: string,
    readonly details: FailureDetails = {},
  ) {
    super(message, { cause: details.cause });
    this.exitCode = details.exitCode ?? exitCodes[kind];
  }

  with(details: FailureDetails, message = this.message): Failure {
    return new Failure(this.kind, message, { ...this.details, ...details });
  }
}

export const bugHint = 'This is a bug in petstore. Please report it with the output of --verbose.';

export const nothingSent = { outcome: 'not_sent', consequence: 'Nothing was sent.' } as const;

/** Where a request was sent that only read. */
export const nothingCreated = { outcome: 'not_sent', consequence: 'Nothing was created.' } as const;

export function unsentFailure(
  kind: FailureKind,
  message: string,
  hint?: string,
  more: FailureDetails = {},
): Failure {
  return new Failure(kind, message, { ...nothingSent, hint, ...more });
}

export function usageFailure(message: string, hint?: string, faults?: readonly string[]): Failure {
  return unsentFailure('usage', message, hint, { faults });
}

export function configFailure(message: string, hint?: string, cause?: unknown): Failure {
  return unsentFailure('config', message, hint, { cause });
}

export class Interruption extends Failure {
  constructor(exitCode: 129 | 130 | 143) {
    const message = { 129: 'hung up', 130: 'interrupted', 143: 'terminated' }[exitCode];
    super('interrupted', message, { exitCode });
  }
}

/** Adds to a failure what it means for the user's data. A bug stays as it is. */
export function withDetails(error: unknown, details: FailureDetails): unknown {
  return asFailure(error)?.with(details) ?? error;
}

/** Says what was created, where its result could not be printed. */
export function unprintedFailure(error: unknown, created: string): Failure {
  const failure = asFailure(error);
  const details = { outcome: 'created', consequence: undefined } as const;
  if (failure) return failure.with(details, `${created}; ${failure.message}`);
  const message = `${created}; the result could not be printed`;
  const exitCode = error instanceof Exit ? error.exitCode : undefined;
  return new Failure('output', message, { ...details, exitCode, cause: error });
}

const tooManyFiles = ['EMFILE', 'ENFILE'];
export const openFilesHint = 'Allow more open files (ulimit -n) and run the command again.';

export function asFailure(error: unknown): Failure | undefined {
  if (error instanceof Failure) return error;
  const code = systemCode(error) ?? '';
  if (!tooManyFiles.includes(code)) return undefined;
  const details = { hint: openFilesHint, cause: error };
  return new Failure('output', `too many open files (${code})`, details);
}

export function systemCode(error: unknown): string | undefined {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return typeof code === 'string' ? code : undefined;
}

/** Returns true for an error of the system that says nothing of what is there: it may work in a while. */
export function isPassing(error: unknown): boolean {
  const code = systemCode(error) ?? '';
  return [...tooManyFiles, 'EIO', 'ESTALE', 'EBUSY', 'ENOMEM', 'EAGAIN'].includes(code);
}

/** Ends the run without a message: after a child process, or when the reader of stdout is gone. */
export class Exit extends Error {
  constructor(readonly exitCode: number) {
    super(`exit ${exitCode}`);
  }
}
