import type { Failure } from '../errors.ts';
import type { Event, Traced } from '../events.ts';
import { exact, type JsonObject } from '../json/exact.ts';
import { isoEnd, isoTime } from '../text/iso-time.ts';
import type { Outlet } from './sink.ts';

/** An event as the object that scripts read. */
export function eventFields(event: Event, { redact, clean }: Outlet): JsonObject {
  switch (event.event) {
    case 'rate_limit':
      return {
        event: 'rate_limit',
        limit: exact(event.limit),
        remaining: exact(event.remaining),
        resetAt: isoTime(event.resetAt),
      };
    case 'wait':
      return {
        event: 'wait',
        reason: event.reason,
        ...(event.limit !== undefined && { limit: exact(event.limit), remaining: exact(0) }),
        ...(Number.isFinite(event.waitMs) && {
          resetAt: isoEnd(event.resetAt),
          waitMs: exact(Math.ceil(event.waitMs)),
        }),
        ...(event.reason === 'settle' && { count: exact(event.count) }),
        ...(event.reason === 'claimed' && { pid: exact(event.pid) }),
        ...(event.left !== undefined && { left: exact(event.left) }),
      };
    case 'progress':
      return {
        event: 'progress',
        done: exact(event.done),
        total: exact(event.total),
        ...(event.rate !== undefined && { rate: exact(Math.round(event.rate)) }),
        ...(event.leftMs !== undefined && { leftMs: exact(Math.ceil(event.leftMs)) }),
      };
    case 'deprecation':
      return {
        event: 'deprecation',
        operation: redact(event.operation),
        sunset: event.sunset === undefined ? null : isoTime(event.sunset),
        ...(event.daysLeft !== undefined && { daysLeft: exact(event.daysLeft) }),
      };
    case 'empty':
      return { event: 'notice', message: redact(event.message) };
    case 'notice':
      return {
        event: 'notice',
        message: redact(event.message),
        ...clean(traced(event.more?.fields ?? {})),
      };
  }
}

function traced(fields: Readonly<Record<string, Traced>>): JsonObject {
  return Object.fromEntries(
    Object.entries(fields).map(([name, part]) => [
      name,
      Object.fromEntries(
        Object.entries(part).map(([field, value]) => [
          field,
          typeof value === 'number' ? exact(value) : value,
        ]),
      ),
    ]),
  );
}

/** A failure as the `error` event that scripts read. */
export function failureFields(
  { kind, message, details, exitCode }: Failure,
  { redact }: Outlet,
): JsonObject {
  const { faults, hint, outcome, service, retryAfter, resetAt } = details;
  return {
    event: 'error',
    kind,
    message: redact(service?.message ?? message),
    ...(faults !== undefined && { faults: faults.map(redact) }),
    ...(hint !== undefined && { hint: redact(hint) }),
    ...(outcome !== undefined && { outcome }),
    ...(service?.code !== undefined && { code: redact(service.code) }),
    ...(service !== undefined && { status: exact(service.status) }),
    ...(retryAfter !== undefined && { retryAfter: exact(retryAfter) }),
    ...(resetAt !== undefined && { resetAt: isoEnd(resetAt) }),
    exitCode: exact(exitCode),
  };
}
