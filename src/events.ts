/**
 * Everything petstore says besides its result. With JSON output each is one line on stderr.
 * Times are milliseconds of this machine's clock; they are shown as ISO 8601 in UTC.
 */
export type Event =
  | RateLimitEvent
  | WaitEvent
  | ProgressEvent
  | {
      readonly event: 'deprecation';
      /** For example "GET /pets/{petId}". */
      readonly operation: string;
      /** When it goes away; undefined while the service publishes no date. */
      readonly sunset: number | undefined;
      /** Whole days until then, negative after it; undefined with it. */
      readonly daysLeft: number | undefined;
    }
  /** Said in place of a table without rows. */
  | { readonly event: 'empty'; readonly message: string }
  | {
      readonly event: 'notice';
      readonly message: string;
      /** Something may be wrong. */
      readonly isWarning?: boolean;
      /** What belongs to it: lines that follow in text, fields of the event in JSON. */
      readonly more?: {
        readonly lines: readonly string[];
        readonly fields: Readonly<Record<string, Traced>>;
      };
    };

/** What is said of a request or its response, by the names that it has in JSON. */
export type Traced = Readonly<
  Record<string, string | number | Readonly<Record<string, string | string[]>>>
>;

type RateLimitEvent = {
  readonly event: 'rate_limit';
  readonly limit: number;
  readonly remaining: number;
  readonly resetAt: number;
};

export type WaitEvent = {
  readonly event: 'wait';
  /** Tells apart the waits of requests that wait at the same time; it is shown nowhere. */
  readonly by: symbol;
  /** Of which nothing is left; undefined where no single window is the reason. */
  readonly limit: number | undefined;
  /** When the wait ends. */
  readonly resetAt: number;
  /** What is left of it; 0 ends it. Reported about every second. */
  readonly waitMs: number;
  /** Rows that are yet to be done after it, where they are counted. */
  readonly left?: number;
} & (
  | { readonly reason: RequestWait }
  /** The outcomes of that many rows are unknown; they are looked up when the service surely is done with them. */
  | { readonly reason: 'settle'; readonly count: number }
  /** Another process works on the same names; `waitMs` is infinite where nothing ends this wait but that. */
  | {
      readonly reason: 'claimed';
      readonly pid: number;
      readonly doing: 'creating' | 'importing';
    }
);

/**
 * The minute's or the day's limit is used up; the service answered 429; it did so three times in a row, or the key stopped
 * working after it; another request is finding out what the new window is like; a 5xx asked for a pause.
 */
export type RequestWait = 'window' | 'day' | '429' | 'tripped' | 'banned' | 'probe' | 'unavailable';

/** Reported after every row; what is shown of it is not more than one can read. */
export type ProgressEvent = {
  readonly event: 'progress';
  /** Rows whose outcome is known, of `total`. */
  readonly done: number;
  readonly total: number;
  /** Rows a minute of late; undefined while that is unknown. */
  readonly rate: number | undefined;
  /** ms that the rest will take, waits for the limit included; undefined while that is unknown. */
  readonly leftMs: number | undefined;
  /** Nothing more is done, even if `done` is below `total`; until then a last list may be waited for. */
  readonly over?: boolean;
};

export type Report = (event: Event) => void;

/** Says one sentence that is no part of the result. */
export function notice(report: Report, message: string): void {
  report({ event: 'notice', message });
}

/** The same where something may be wrong: on a terminal it stands out. */
export function warn(report: Report, message: string): void {
  report({ event: 'notice', message, isWarning: true });
}
