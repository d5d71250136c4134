import { randomUUID } from 'node:crypto';
import { writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { makePrivateFolder } from '../disk/folders.ts';
import { openToAppend } from '../disk/open-file.ts';
import { createTail } from '../disk/tail.ts';
import type { Plan } from './quota.ts';
import { answer, forReplay, isRequest, type Reply, type SandboxRequest } from './service.ts';
import type { SandboxState } from './state.ts';

type LoggedRequest = SandboxRequest & { readonly id: string };

/** Answers requests one after the other. */
export type Answerer = (request: SandboxRequest) => Reply;

/**
 * A sandbox whose memory is a log of all requests with its key, shared by every process that has the file open. Each
 * request is one appended line; all processes replay the same lines in the same order, so all of them agree without a
 * lock, and one that is killed leaves at most a torn line, which is ignored.
 * @throws as openToAppend; the system's error when the file cannot be written
 */
export function openSharedSandbox(path: string, state: SandboxState, plan: Plan): Answerer {
  makePrivateFolder(dirname(path));
  const file = openToAppend(path);
  const { readLines } = createTail(file);

  return (request) => {
    // It changes nothing, and a client without the key must not write to this disk.
    if (request.key !== 'valid') return answer(state, plan, request);
    const id = randomUUID();
    // The line break in front keeps a torn line of a killed process apart from this one.
    const line = Buffer.from(`\n${JSON.stringify({ ...forReplay(request), id })}\n`);
    if (writeSync(file, line) < line.length) throw new Error('the disk is full');
    let mine: Reply | undefined;
    for (const entry of readLines().map(parseEntry)) {
      if (!entry) continue;
      if (entry.id === id) mine = answer(state, plan, request);
      else answer(state, plan, entry);
    }
    if (!mine) throw new Error('the log was replaced while it was in use');
    return mine;
  };
}

function parseEntry(line: string): LoggedRequest | undefined {
  try {
    const entry = JSON.parse(line);
    return isRequest(entry) && 'id' in entry ? (entry as LoggedRequest) : undefined;
  } catch {
    return undefined;
  }
}
