/** Every way petstore can fail, by name, and the exit code scripts see for it. */
const exitCodes = {
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

/** What became of a request that changes something; `done` where that is no create. A read only succeeds or fails. */
export type Outcome = 'not_sent' | 'refused' | 'created' | 'done' | 'unknown';

/** The service's own Error (interface document, section 2); `status` is the answer's HTTP status. */
export type ServiceError = {
  readonly code?: string;
  readonly message?: string;
  readonly status: number;
};

export type FailureDetails = {
  /** What is wrong in an input, place by place. */
  readonly faults?: readonly string[] | undefined;
  /** What it means for the user's data: "Nothing was sent." */
  readonly consequence?: string | undefined;
  /** The one next thing to do. */
  readonly hint?: string | undefined;
  readonly outcome?: Outcome | undefined;
  readonly service?: ServiceError | undefined;
  /** When it is worth trying again, in milliseconds of this machine's clock. */
  readonly resetAt?: number | undefined;
  /** How long until then, in seconds. */
  readonly retryAfter?: number | undefined;
  /** Where it differs from the kind's own, for example 143 for a termination. */
  readonly exitCode?: number | undefined;
  readonly cause?: unknown;
};

/** A failure that we foresaw: said in at most three lines, without a stack. */
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

  /** The same failure where more is known of it: these details replace its own. */
  with(details: FailureDetails, message = this.message): Failure {
    return new Failure(this.kind, message, { ...this.details, ...details });
  }
}

/** What an end before the first request means. */
export const nothingSent = { outcome: 'not_sent', consequence: 'Nothing was sent.' } as const;

/** A failure before anything was sent. */
export function unsentFailure(
  kind: FailureKind,
  message: string,
  hint?: string,
  more: FailureDetails = {},
): Failure {
  return new Failure(kind, message, { ...nothingSent, hint, ...more });
}

/** Wrong words on the command line or wrong input; found before anything was sent. */
export function usageFailure(message: string, hint?: string, faults?: readonly string[]): Failure {
  return unsentFailure('usage', message, hint, { faults });
}

/** Wrong or missing settings; found before anything was sent. */
export function configFailure(message: string, hint?: string, cause?: unknown): Failure {
  return unsentFailure('config', message, hint, { cause });
}

/** Why the run's signal was aborted; the reason given to `AbortController.abort`. */
export class Interruption extends Error {
  constructor(readonly exitCode: 129 | 130 | 143) {
    super(exitCode === 130 ? 'interrupted' : 'terminated');
  }
}

/** The failure for a run that a signal ended; `details` say what that means for the data. */
export function interruptedFailure(signal: AbortSignal, details: FailureDetails): Failure {
  const reason = signal.reason instanceof Interruption ? signal.reason : new Interruption(130);
  return new Failure('interrupted', reason.message, { ...details, exitCode: reason.exitCode });
}

/** Adds to an error what it means for the user's data, be it a failure or the end of the run. A bug stays as it is. */
export function explained(error: unknown, signal: AbortSignal, details: FailureDetails): unknown {
  if (error instanceof Interruption) return interruptedFailure(signal, details);
  const failure = error instanceof Failure ? error : loadFailure(error);
  return failure?.with(details) ?? error;
}

/** Explains why a part of petstore cannot be loaded: an upgrade replaced it, or too many files are open. */
export function loadFailure(cause: unknown): Failure | undefined {
  const code = systemCode(cause) ?? '';
  if (['EMFILE', 'ENFILE'].includes(code)) {
    const hint = 'Allow more open files (ulimit -n) and run the command again.';
    return new Failure('output', `too many open files (${code})`, { hint, cause });
  }
  if (['MODULE_NOT_FOUND', 'ERR_MODULE_NOT_FOUND'].includes(code)) {
    const message = 'petstore was replaced or removed while it was running';
    return new Failure('output', message, { hint: 'Run the command again.', cause });
  }
  return undefined;
}

/** The system's code of an error (ENOENT, EPIPE …), if it has one. */
export function systemCode(error: unknown): string | undefined {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return typeof code === 'string' ? code : undefined;
}

/** Why a file or folder of ours cannot be used although the system would take it, and what repairs that: a command or a sentence. */
export class FileFault extends Error {
  constructor(
    message: string,
    readonly fix: string,
  ) {
    super(message);
  }
}

/** An end that needs no words: help was shown, a child's exit code is passed on, the reader of stdout went away. */
export class Exit extends Error {
  constructor(readonly exitCode: number) {
    super(`exit ${exitCode}`);
  }
}
