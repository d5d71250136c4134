import { parseJson } from '../json/json.ts';
import type { Printer } from '../output/printer.ts';
import type { ApiRequest } from '../request/exchange.ts';
import { describeRequest } from '../request/trace.ts';

export async function showRequest(output: Printer, request: ApiRequest): Promise<void> {
  const { body } = request;
  const { lines, record } = describeRequest(request);
  await output.print({
    text: [...lines, ...(body?.split(/\r?\n/) ?? [])],
    record: { ...record, body: body && parseJson(body) },
  });
}
