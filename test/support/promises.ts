import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** How a run of petstore ended, in memory or as a process. */
type Ended = {
  readonly exitCode: number | NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
};

const exitCodes: readonly unknown[] = [0, 1, 2, 3, 4, 5, 6, 7, 74, 75, 129, 130, 141, 143];
const words = /\n {4}at |node:internal|\b(?:zod|ora|undici)\b|UND_ERR|\[object |HPE_/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: all but these would act on a terminal
const colours = /\u001b\[\d+m/g;
const acting =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: just these are forbidden
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ud800-\udfff]/u;
const maxErrorLines = 3;
const maxLength = 500_000;
/** A hint is one or more sentences, or ends with a command that is introduced as one. */
const hintForm =
  /(?:^|\. )(?:Run|See|Did you mean): \S(?!.*[.)] [A-Z])|^(?:[A-Z\d]|petstore ).*\.$/;

/** Returns each promise to users that no run may break, and this one did. No file in `folder` may have one of the keys. */
export function brokenPromises(ended: Ended, keys: readonly string[], folder?: string): string[] {
  const { exitCode, stderr } = ended;
  const all = (endsOf(ended.stdout) + stderr).replace(colours, '');
  const lines = stderr.replace(colours, '').trimEnd().split('\n');
  const last = lines.at(-1) ?? '';
  const event = last.startsWith('{"event":') ? JSON.parse(last) : undefined;
  const start = lines.findLastIndex((line) => line.startsWith('petstore: '));
  const explains = event
    ? event.event === 'error' && event.exitCode === exitCode
    : start >= 0 && lines.length - start <= maxErrorLines;
  const hint = event ? event.hint : /^(?!petstore: |rate limit: |deprecated: ).*/.exec(last)?.[0];
  // Neither what diff found nor a signal behind a result is a failure.
  const hasFailed = Number(exitCode) > 0 && exitCode !== 7 && Number(exitCode) < 129;
  const forms = keys.flatMap(formsOf);
  const holdsKey = (text: string) => forms.some((form) => text.includes(form));
  const files = folder === undefined ? [] : filesBelow(folder);
  return [
    !exitCodes.includes(exitCode) && `exit code ${exitCode}`,
    exitCode !== 1 && words.test(all) && `words of a library: ${words.exec(all)}`,
    acting.test(all) && `a character that acts: ${JSON.stringify(acting.exec(all)?.[0])}`,
    holdsKey(all) && 'the key in the output',
    ...files.map((path) => holdsKey(readFileSync(path, 'latin1')) && `the key in ${path}`),
    event && lines.some((line) => !line.startsWith('{"event":')) && 'text between lines of JSON',
    hasFailed && !explains && 'an error that does not explain itself',
    hasFailed && hint && !hintForm.test(hint) && `a hint of another form: ${hint}`,
  ].filter((promise) => typeof promise === 'string');
}

/** Of a list of megabytes its first and its last part have to do. */
function endsOf(text: string): string {
  return text.length < 2 * maxLength ? text : text.slice(0, maxLength) + text.slice(-maxLength);
}

/** Returns the key as it is, and as it may be written in JSON, a URL or Base64. */
export function formsOf(key: string): string[] {
  const percent = encodeURIComponent(key);
  const base64 = [0, 1, 2].map((before) => inBase64(key, before));
  const base64url = base64.map((form) => form.replaceAll('+', '-').replaceAll('/', '_'));
  const inJson = JSON.stringify(key).slice(1, -1);
  const lowerPercent = percent.replace(/%../g, (code) => code.toLowerCase());
  return [key, inJson, percent, lowerPercent, ...base64, ...base64url];
}

/** Returns the part of the Base64 form that only the key decides, with so many other bytes before it. */
function inBase64(key: string, before: number): string {
  const bytes = Buffer.from('x'.repeat(before) + key);
  const whole = bytes.subarray(0, bytes.length - (bytes.length % 3));
  return whole.toString('base64').slice(before && 4);
}

export function filesBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => join(folder, name))
    .filter((path) => statSync(path).isFile());
}
