import { hash } from 'node:crypto';
import { basename, join } from 'node:path';
import type { Context, Owner } from '../context.ts';
import { isOwner } from '../store/owner.ts';
import { foldName } from './plan.ts';

/** What the first line of a mark says of its process; the other lines are hashes of the names. */
export type Process = Owner & {
  readonly doing: 'creating' | 'importing';
  readonly since: number;
  readonly v: 2;
};

/** The name of a mark's file ends in `.sent` while a create may be under way that no list has shown; in `.ended` without a process. */
export type Mark = {
  readonly file: string;
  /** Undefined if it is damaged or of a later version. It then stands for all names. */
  readonly process: Process | undefined;
  readonly keys: readonly string[];
};

const maxMarkBytes = 4 * 1024 * 1024;
/** Who does not touch a mark for this time is taken for dead. It is more than a create needs after its last check. */
export const maxSilenceMs = 30_000;
/** A machine that slept has watched nobody meanwhile. */
const maxLookMs = 1_000;

/** Knows for how long each mark of others has not been touched while we looked. */
export class Watch {
  readonly #context: Context;
  readonly #looks = new Map<string, { touchedAt: number; lookedAt: number; silentMs: number }>();

  constructor(context: Context) {
    this.#context = context;
  }

  /** Returns true if its file is as it was, and its process is seen or may be alive. */
  isLiving(mark: Mark): boolean {
    const silentMs = this.#look(mark);
    if (silentMs === undefined || mark.file.endsWith('.ended')) return false;
    if (mark.process && this.#context.isRunning(mark.process) === false) return false;
    return silentMs < maxSilenceMs;
  }

  /** Returns for how long it was not touched, or undefined if it is gone. */
  #look({ file }: Mark): number | undefined {
    const { stateFiles, uptime } = this.#context;
    const touchedAt = stateFiles.touchedAt(file);
    if (touchedAt === undefined) return undefined;
    const lookedAt = uptime();
    const last = this.#looks.get(getMarkId(file));
    const silentMs =
      last?.touchedAt === touchedAt
        ? last.silentMs + Math.min(maxLookMs, lookedAt - last.lookedAt)
        : 0;
    this.#looks.set(getMarkId(file), { touchedAt, lookedAt, silentMs });
    return silentMs;
  }
}

/** Returns the name of a mark's file without its ending. */
export function getMarkId(file: string): string {
  return basename(file).replace(/\.(?:sent|ended)$/, '');
}

/** Names that a service may take for the same one have the same key. */
export function hashNames(names: readonly string[]): string[] {
  return [...new Set(names.map((name) => hashText(`name ${foldName(name)}`)))];
}

export function hashText(text: string): string {
  return hash('sha256', text, 'hex').slice(0, 16);
}

export function findRivals(marks: readonly Mark[], keys: ReadonlySet<string>): Mark[] {
  return marks.filter((mark) => !mark.process || mark.keys.some((key) => keys.has(key)));
}

/** Returns true also for one that cannot be read. */
export function hasSent({ file, process }: Mark): boolean {
  return process === undefined || /\.(?:sent|ended)$/.test(file);
}

export function readMarks(context: Context, folder: string, scope: string): Mark[] {
  const form = new RegExp(`^${scope}\\.[0-9a-f-]{36}(\\.sent|\\.ended)?$`);
  const names = context.stateFiles.list(folder).filter((name) => form.test(name));
  return names.flatMap((name) => readMark(context, join(folder, name)) ?? []);
}

function readMark({ stateFiles }: Context, file: string): Mark | undefined {
  const text = stateFiles.read(file, maxMarkBytes)?.toString();
  if (text === undefined) return undefined;
  const [first = '', ...keys] = text.split('\n');
  return { file, process: parseProcess(first), keys };
}

function parseProcess(text: string): Process | undefined {
  try {
    const process = JSON.parse(text) as Process;
    return process.v === 2 && isOwner(process) && isMoment(process.since) ? process : undefined;
  } catch {
    return undefined;
  }
}

function isMoment(value: unknown): boolean {
  return typeof value === 'number' && !Number.isNaN(new Date(value).valueOf());
}
