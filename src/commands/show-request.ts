import { parseJson } from '../json/json.ts';
import type { Printer } from '../output/printer.ts';
import type { ApiRequest } from '../request/exchange.ts';
import { shownHeaders } from '../request/trace.ts';

export async function showRequest(output: Printer, request: ApiRequest): Promise<void> {
  const { method, url } = request;
  const headers = shownHeaders(request);
  const body = request.body === undefined ? undefined : parseJson(request.body);
  await output.print({ record: { method, url: url.href, headers, body } });
}
