import { isJsonObject, type Json, type JsonObject } from '../json/exact.ts';
import { textOf } from '../json/verbatim.ts';
import { cutMark } from '../secret.ts';
import type { Secrets } from './secrets.ts';

/** Data without secrets; the very same where there are none in it. */
export type Clean = <Data>(data: Data) => Data;

/**
 * Cuts secrets out of data before it is laid out. Texts lose them. Numbers stay as they are: half an id would be another
 * id. Names of fields keep what is a word of petstore's own, and are still distinct when they lost something: the second
 * `[key]` is `[key] (2)`.
 */
export function createClean({ isIn, cutMixed }: Secrets, cut: (text: string) => string): Clean {
  return <Data>(data: Data) => {
    const json = data as Json;
    return holds(json, isIn) ? (cleaned(json, cut, distinctNames(cutMixed)) as Data) : data;
  };
}

/** As much text is looked through at once. */
const batch = 64 * 1024;

function holds(data: Json, isIn: (text: string) => boolean): boolean {
  // What is written as it came is looked through as it came.
  const kept = Array.isArray(data) ? textOf(data) : undefined;
  if (kept !== undefined) return isIn(kept);
  let texts = '';
  let found = false;
  look(data);
  return found || isIn(texts);

  function look(value: Json | undefined): void {
    if (typeof value === 'string') add(value);
    else if (Array.isArray(value)) for (const item of value) look(item);
    else if (isJsonObject(value)) {
      for (const name of Object.keys(value)) {
        add(name);
        look(value[name]);
      }
    }
  }

  function add(text: string): void {
    texts += `${text}\n`;
    if (texts.length < batch) return;
    found ||= isIn(texts);
    texts = '';
  }
}

type Rename = (text: string) => string;

function cleaned(value: Json, cut: Rename, nameOf: Rename): Json {
  if (typeof value === 'string') return cut(value);
  if (Array.isArray(value)) return value.map((item) => cleaned(item, cut, nameOf));
  if (!isJsonObject(value)) return value;
  const fields = Object.entries(value).map(([name, field]) => [
    nameOf(name),
    field === undefined ? undefined : cleaned(field, cut, nameOf),
  ]);
  return Object.fromEntries(fields) as JsonObject;
}

/** Each name without secrets, and no two of them alike. */
function distinctNames(cut: Rename): Rename {
  const shown = new Map<string, string>();
  const taken = new Set<string>();
  return (name) => {
    const known = shown.get(name);
    if (known !== undefined) return known;
    const plain = cut(name);
    // A name of the service may look like one that was cut.
    if (plain === name && !name.includes(cutMark.slice(0, -1))) return name;
    let distinct = plain;
    for (let count = 2; taken.has(distinct); count += 1) distinct = `${plain} (${count})`;
    taken.add(distinct);
    shown.set(name, distinct);
    return distinct;
  };
}
