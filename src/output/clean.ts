import { isJsonObject, type Json, type JsonObject } from '../json/exact.ts';
import { textOf } from '../json/verbatim.ts';
import { cutMark } from '../text/secret.ts';
import type { Secrets } from './secrets.ts';

/** Data without secrets; the very same where there are none in it. */
export type Clean = <Data>(data: Data) => Data;

/** The names of fields that the interface document gives (section 2). */
const documented = new Set(['id', 'name', 'description', 'code', 'message', 'status']);

/**
 * Cuts secrets out of data of the service before it is laid out. Texts lose them. Numbers stay as they are: half an id would
 * be another id. Documented names stay too; names that the service chose are still distinct when they lost something: the
 * second `[key]` is `[key] (2)`.
 */
export function createClean({ isIn, cut }: Secrets): Clean {
  return cleaning(isIn, cut, () => {
    const distinct = distinctNames(cut);
    return (name) => (documented.has(name) ? name : distinct(name));
  });
}

/** The same for data that petstore itself made: all names in it are its own. */
export function createCleanOurs({ isIn, cutMessage }: Secrets): Clean {
  return cleaning(isIn, cutMessage, () => (name) => name);
}

function cleaning(isIn: (text: string) => boolean, cut: Rename, names: () => Rename): Clean {
  return <Data>(data: Data) => {
    const json = data as Json;
    return holds(json, isIn) ? (cleaned(json, cut, names()) as Data) : data;
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
