/** Anything reported besides the result. Times are in ms since 1970. */
export type Event =
  | {
      readonly event: 'rate_limit';
      readonly limit: number;
      readonly remaining: number;
      readonly resetAt: number;
    }
  | Wait
  | Progress
  /** An operation that will be removed. `sunset` is null while the service publishes no date. */
  | {
      readonly event: 'deprecation';
      readonly operation: string;
      readonly sunset: number | null;
      readonly daysLeft?: number;
    }
  /** `isWarning`: something may be wrong. `lines` follow the message in text; all other fields are for scripts only. */
  | {
      readonly event: 'notice';
      readonly message: string;
      readonly isWarning?: boolean;
      readonly lines?: readonly string[];
      readonly [field: string]: unknown;
    };

/** Reported about every second; `waitMs: 0` ends it. */
export type Wait = {
  readonly event: 'wait';
  readonly reason:
    | 'window'
    | 'day'
    | '429'
    | 'tripped'
    | 'banned'
    | 'probe'
    | 'unavailable'
    | 'settle'
    | 'response'
    | 'claimed';
  /** The reason in words: "rate limit reached: 60 requests per minute". */
  readonly why: string;
  /** The step after the wait: "next request". */
  readonly next: string;
  /** Distinguishes waits at the same time. It is never shown. */
  readonly by: symbol;
  /** undefined if only another process can end the wait; `waitMs` is then infinite. */
  readonly resetAt?: number | undefined;
  readonly waitMs: number;
  readonly left?: number;
  readonly limit?: number;
  readonly remaining?: number;
  readonly count?: number;
  readonly pid?: number;
};

export type Progress = {
  readonly event: 'progress';
  readonly done: number;
  readonly total: number;
  readonly leftMs?: number | undefined;
  /** True for the last event, even if `done` is below `total`. */
  readonly over?: boolean;
};

export type Report = (event: Event) => void;

export function notice(report: Report, message: string): void {
  report({ event: 'notice', message });
}

export function warn(report: Report, message: string): void {
  report({ event: 'notice', message, isWarning: true });
}
