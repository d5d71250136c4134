import { parseJson } from '../json/json.ts';
import type { Printer } from '../output/printer.ts';
import type { ApiRequest } from '../request/exchange.ts';
import { describeRequest, requestLines } from '../request/trace.ts';

/** Prints a request as a record, or for a person as --verbose shows it, with its body. */
export async function showRequest(output: Printer, request: ApiRequest): Promise<void> {
  const { body } = request;
  const text = [...requestLines(request), ...(body?.split(/\r?\n/) ?? [])];
  const record = { ...describeRequest(request), body: body && parseJson(body) };
  await output.print({ text, record });
}
