import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** A key of characters that each encoding writes in its own way. */
export const canary = 'ky+7Canary/%41"<b>=\\Zq9~f';

export type Ended = {
  readonly exitCode: number | NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
};

const words = /\n {4}at |node:internal|\bzod\b|\bora\b|\bundici\b|UND_ERR|\[object |HPE_/i;
const acting =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: just these are forbidden
  /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ud800-\udfff]/u;
const exitCodes: readonly unknown[] = [0, 2, 3, 4, 5, 6, 7, 75];
const longestError = 3;

/** What no run may do, whatever the service does: each broken promise in words. `folder` is its home. */
export function brokenPromises(ended: Ended, json: boolean, folder: string): string[] {
  const { exitCode, stdout, stderr } = ended;
  const output = stdout + stderr;
  const broken = [
    !exitCodes.includes(exitCode) && `exit code ${exitCode}`,
    words.test(output) && `words of a library: ${words.exec(output)}`,
    acting.test(output) && `a character that acts: ${JSON.stringify(acting.exec(output)?.[0])}`,
    holdsKey(output) && 'the key in the output',
    ...filesBelow(folder).map((path) => holdsKey(readFileSync(path, 'latin1')) && `key in ${path}`),
    exitCode !== 0 && !explains(stderr, json, exitCode) && 'an error that does not explain itself',
    json && stdout !== '' && !isJson(stdout) && 'half a result',
    !stdout.endsWith('\n') && stdout !== '' && 'a line without its end',
  ];
  return broken.filter((promise) => typeof promise === 'string');
}

/** Whether the last thing said is why it failed, in at most three lines or one event. */
function explains(
  stderr: string,
  json: boolean,
  exitCode: number | NodeJS.Signals | null,
): boolean {
  const lines = stderr.trimEnd().split('\n');
  if (!json) {
    const first = lines.findLastIndex((line) => line.startsWith('petstore: '));
    return first >= 0 && lines.length - first <= longestError;
  }
  if (!lines.every(isJson)) return false;
  const last = JSON.parse(lines.at(-1) ?? '');
  return last.event === 'error' && last.exitCode === exitCode;
}

/** One JSON value, or one a line. */
function isJson(text: string): boolean {
  const parses = (part: string) => {
    try {
      JSON.parse(part);
      return true;
    } catch {
      return false;
    }
  };
  return parses(text) || text.trimEnd().split('\n').every(parses);
}

const keyForms = formsOf(canary);

/** Whether a text has the key in it, as it is or as it may be written in JSON, a URL or Base64. */
export function holdsKey(text: string): boolean {
  return keyForms.some((form) => text.includes(form));
}

function formsOf(key: string): string[] {
  const percent = encodeURIComponent(key);
  const base64 = [0, 1, 2].map((before) => inBase64(key, before));
  const base64url = base64.map((form) => form.replaceAll('+', '-').replaceAll('/', '_'));
  const inJson = JSON.stringify(key).slice(1, -1);
  return [key, inJson, percent, percent.toLowerCase(), ...base64, ...base64url];
}

/** The part of the Base64 form that only the key decides, with so many other bytes before it. */
function inBase64(key: string, before: number): string {
  const bytes = Buffer.from('x'.repeat(before) + key);
  return bytes
    .subarray(0, bytes.length - (bytes.length % 3))
    .toString('base64')
    .slice(before && 4);
}

export function filesBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => join(folder, name))
    .filter((path) => statSync(path).isFile());
}
