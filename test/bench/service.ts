import type { Server } from 'node:http';
import { serve } from '@hono/node-server';
import { createSandboxApp } from '../../src/sandbox/app.ts';
import { type Plan, plans } from '../../src/sandbox/quota.ts';
import { answer } from '../../src/sandbox/service.ts';
import { type SandboxState, sampleState } from '../../src/sandbox/state.ts';

/** How the service tells the time and its limit; the sandbox tells both well. */
export type Manners = {
  readonly plan?: Plan;
  /** How far its clock is ahead of ours, in ms. */
  readonly skew?: number;
  readonly resetRoundedDown?: boolean;
  readonly resetInMs?: boolean;
  readonly noDate?: boolean;
  /** Requests that were made before in this window. */
  readonly used?: number;
  /** Answers nothing but 429. */
  readonly onlyRefuses?: boolean;
};

export type Service = {
  readonly url: string;
  readonly key: string;
  readonly state: SandboxState;
  /** When each request arrived, in ms, what the response was, and until when the key is banned; 0 if it never was. */
  readonly requests: { at: number; status: number; code: unknown; bannedUntil: number }[];
  readonly close: () => void;
};

/** A sandbox on a real port that notes what reaches it. */
export async function startService(manners: Manners = {}): Promise<Service> {
  const { plan = plans.free, skew = 0, used = 0 } = manners;
  const state = { ...sampleState(), categories: [], lastId: 0n };
  const requests: Service['requests'] = [];
  const now = () => Date.now() + skew;
  const key = 'bench-key-0123456789';
  for (let n = 0; n < used; n += 1)
    answer(state, plan, { at: now(), operation: 'listOrders', key: 'valid' });

  const app = createSandboxApp({
    key,
    now,
    answer(request) {
      const reply = manners.onlyRefuses
        ? { status: 429, body: {}, headers: { 'retry-after': '1' } }
        : answer(state, plan, request);
      const code = (reply.body as { code?: unknown }).code;
      const bannedUntil = Math.max(0, state.quota.bannedUntil - skew);
      requests.push({ at: Date.now(), status: reply.status, code, bannedUntil });
      return {
        ...reply,
        headers: spoil(reply.headers ?? {}, manners, state.quota.minute.opened, plan),
      };
    },
  });
  return new Promise((resolve) => {
    const server = serve({ fetch: app.fetch, hostname: '127.0.0.1', port: 0 }, ({ port }) => {
      const url = `http://127.0.0.1:${port}/v1`;
      resolve({ url, key, state, requests, close: () => void closeAll(server as Server) });
    });
  });
}

function closeAll(server: Server): void {
  server.close();
  server.closeAllConnections();
}

function spoil(
  headers: Readonly<Record<string, string>>,
  { resetRoundedDown, resetInMs, noDate }: Manners,
  opened: number,
  plan: Plan,
): Readonly<Record<string, string>> {
  const { date, ...rest } = headers;
  const end = opened + plan.minute.length;
  return {
    ...rest,
    // The server would add a date of its own if there were none; this one no client can read.
    date: noDate ? 'unknown' : (date ?? ''),
    ...(resetRoundedDown && { 'x-ratelimit-reset': String(Math.floor((end - 1) / 1_000)) }),
    ...(resetInMs && { 'x-ratelimit-reset': String(end) }),
  };
}
