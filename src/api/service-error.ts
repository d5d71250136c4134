import type { ServiceError } from '../errors.ts';
import { isJsonObject, type Json, parseJson } from '../json/json.ts';
import type { Answer } from './exchange.ts';

/** The Error in the body of a refusal (interface document, section 7), as much of it as is there. */
export function readServiceError({ status, bytes }: Answer): ServiceError {
  const body = decodeLeniently(bytes);
  if (!isJsonObject(body)) return { status };
  const { code, message } = body;
  return {
    status,
    ...(typeof code === 'string' && { code }),
    ...(typeof message === 'string' && { message }),
  };
}

/** A word for a ban. The values of `code` are not shown in the interface document. */
const ban = /(?<![a-z])ban(?:ned)?(?![a-z])/i;

/** Whether the Error of a 429 says that the key is banned, and not only that it has to wait. */
export function saysBanned({ code = '', message = '' }: ServiceError): boolean {
  return ban.test(code) || ban.test(message);
}

/** A page of HTML or half an Error tells no more than the status does. */
function decodeLeniently(bytes: Uint8Array): Json | undefined {
  try {
    return parseJson(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    return undefined;
  }
}
