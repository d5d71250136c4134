import type { FailureDetails, ServiceError } from '../errors.ts';
import { isJsonObject, type Json, parseJson } from '../json/json.ts';
import { type ApiResponse, isWrite, type Method } from './exchange.ts';

/** Returns what is known when another attempt ended before it was sent. */
export function refusedBefore(
  { method, path }: { readonly method: Method; readonly path: string },
  response: ApiResponse,
): FailureDetails {
  const service = readServiceError(response);
  const quote = service.message ? `: ${service.message}` : '';
  if (!isWrite(method)) {
    const what = path.endsWith('s') ? 'The list was not' : 'Nothing was';
    return { outcome: 'refused', consequence: `${what} fetched.`, service };
  }
  const consequence = `The service responded with ${response.status}${quote}; nothing has been sent since.`;
  return { outcome: 'refused', consequence, service };
}

/** Reads the Error in the body of a refusal (interface document, section 7), or as much of it as is there. */
export function readServiceError({ status, bytes }: ApiResponse): ServiceError {
  const body = decodeLeniently(bytes);
  const { code, message } = isJsonObject(body) ? body : {};
  return {
    status,
    ...(typeof code === 'string' && { code }),
    ...(typeof message === 'string' && { message }),
  };
}

function decodeLeniently(bytes: Uint8Array): Json | undefined {
  try {
    return parseJson(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    return undefined;
  }
}

export function describeBan(service: ServiceError | undefined): string | undefined {
  if (!service || !isBan(service)) return undefined;
  return `the service says your key is banned: ${service.message || service.code}`;
}

/** Returns true if the Error of a 429 speaks of a ban. The interface document does not show the values of `code`. */
export function isBan({ code = '', message = '' }: ServiceError): boolean {
  return /(?<![a-z])ban(?:ned)?(?![a-z])/i.test(`${code} ${message}`);
}
