import { randomUUID } from 'node:crypto';
import { openSync, readSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { makePrivateFolder } from '../files.ts';
import type { PlanName } from './quota.ts';
import { answer, type Reply, type SandboxRequest } from './service.ts';
import type { SandboxState } from './state.ts';

/** Answers requests one after the other. */
export type Answerer = (request: SandboxRequest) => Reply;

/**
 * A sandbox whose memory is a log of all requests, shared by every process that has the file open. Each request is
 * one appended line; all processes replay the same lines in the same order, so all of them agree without a lock,
 * and one that is killed leaves at most a torn line, which nobody reads.
 * @throws the system's error when the file cannot be written
 */
export function openSharedSandbox(path: string, state: SandboxState, plan: PlanName): Answerer {
  makePrivateFolder(dirname(path));
  const file = openSync(path, 'a+', 0o600);
  const readLines = createTail(file);

  return (request) => {
    const id = randomUUID();
    // The line break in front keeps a torn line of a killed process apart from this one.
    const line = Buffer.from(`\n${JSON.stringify({ ...request, id })}\n`);
    if (writeSync(file, line) < line.length) throw new Error('the disk is full');
    let mine: Reply | undefined;
    for (const entry of readLines().map(parseEntry)) {
      if (!entry) continue;
      const reply = answer(state, plan, entry);
      if (entry.id === id) mine = reply;
    }
    if (!mine) throw new Error('the log was replaced while it was in use');
    return mine;
  };
}

/** Returns the whole lines that were added to the file since the last call. */
function createTail(file: number): () => string[] {
  const chunk = Buffer.alloc(256 * 1024);
  let position = 0;
  let partial = Buffer.alloc(0);
  return () => {
    const parts = [partial];
    for (;;) {
      const length = readSync(file, chunk, 0, chunk.length, position);
      if (length === 0) break;
      position += length;
      parts.push(Buffer.from(chunk.subarray(0, length)));
    }
    const text = Buffer.concat(parts);
    const end = text.lastIndexOf('\n') + 1;
    partial = Buffer.from(text.subarray(end));
    return text.subarray(0, end).toString().split('\n');
  };
}

function parseEntry(line: string): (SandboxRequest & { readonly id: string }) | undefined {
  try {
    const entry = JSON.parse(line);
    return typeof entry?.at === 'number' && typeof entry.id === 'string' ? entry : undefined;
  } catch {
    return undefined;
  }
}
