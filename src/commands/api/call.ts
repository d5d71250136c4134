import { type Method, mayChange, methods } from '../../api/method.ts';
import { usageFailure } from '../../errors.ts';
import { quotedUnlessKey } from '../../text/secret.ts';
import { parsePath } from './path.ts';

type Call = { readonly method: Method; readonly path: string };

/**
 * What `[METHOD] PATH` asks for: without a method it is POST with a body, else GET.
 * @param asked the value of --method
 * @param body the option that gives a body, if one does
 * @throws Failure (usage)
 */
export function parseCall(
  [first, second]: readonly [string, string | undefined],
  asked: string | undefined,
  body: string | undefined,
): Call {
  if (second !== undefined && asked !== undefined) {
    throw usageFailure(
      'duplicate method: as an argument and as --method',
      'Remove one of the two.',
    );
  }
  if (second === undefined && findMethod(first)) {
    throw usageFailure(
      `missing path after ${first.toUpperCase()}`,
      'Example: petstore api GET /categories',
    );
  }
  const word = second === undefined ? asked : first;
  const method = word === undefined ? (body ? 'POST' : 'GET') : parseMethod(word);
  const path = parsePath(second ?? first);
  if (body && !mayChange(method)) {
    const others = methods.filter(mayChange).join(', ');
    // gh makes query parameters of the fields of a GET.
    const query = body === '--data' ? '' : '. Query parameters are part of the path.';
    throw usageFailure(`${method} does not take ${body}`, `Methods that do: ${others}${query}`);
  }
  return { method, path };
}

/** @throws Failure (usage) */
function parseMethod(word: string): Method {
  const method = findMethod(word);
  if (method) return method;
  throw usageFailure(`invalid method${quotedUnlessKey(word)}`, `Use one of: ${methods.join(', ')}`);
}

function findMethod(word: string): Method | undefined {
  return methods.find((name) => name === word.toUpperCase());
}
