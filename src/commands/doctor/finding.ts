import { configFailure, Failure, systemCode } from '../../errors.ts';
import type { Profile } from '../../session/profile.ts';

/** One thing that was looked at. */
export type Finding = {
  readonly check: string;
  /** `unknown` and `unset` are neither good nor bad. */
  readonly status: 'ok' | 'warn' | 'fail' | 'unknown' | 'unset';
  readonly finding: string;
  /** What a command that needs it would fail with. */
  readonly failure?: Failure;
};

export function ok(check: string, finding: string): Finding {
  return { check, status: 'ok', finding };
}

export function warn(check: string, finding: string): Finding {
  return { check, status: 'warn', finding };
}

/** What cannot be found out now. */
export function unknown(check: string, finding: string): Finding {
  return { check, status: 'unknown', finding };
}

/** What need not be set. */
export function unset(check: string, finding: string): Finding {
  return { check, status: 'unset', finding };
}

export function fail(check: string, failure: Failure): Finding {
  return { check, status: 'fail', finding: failure.message, failure };
}

type Look = Finding | string;

/** What `look` finds, where a text is well, or the failure that it ends with. */
export async function judge(check: string, look: () => Look | Promise<Look>): Promise<Finding> {
  try {
    const found = await look();
    return typeof found === 'string' ? ok(check, found) : found;
  } catch (error) {
    if (error instanceof Failure) return fail(check, error);
    const code = systemCode(error);
    if (code === undefined) throw error;
    const message = `cannot check the ${check} (${code})`;
    return fail(check, configFailure(message, undefined, error));
  }
}

/** Where a setting was given, in a word. */
export function shownSource({ source }: { readonly source: string }, { file }: Profile): string {
  return source === file ? 'settings' : source;
}
