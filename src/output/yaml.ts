import { Document, type ScalarTag, type Tags } from 'yaml';
import { stringifyString } from 'yaml/util';
import { ExactNumber, isJsonObject, type Json, type JsonObject } from '../json/exact.ts';
import { isBare, replaceUnsafe } from './safe-text.ts';

/** More values than that are not given to the library at once: it takes about a kilobyte for each. */
const mostAtOnce = 1_000;

/**
 * The parts of one YAML document, the same to readers of 1.1 and 1.2: each number has all its digits, each text stands on one
 * line.
 */
export function yamlLines(data: Json, most = mostAtOnce): string[] {
  // Sequences one after another are one sequence, and so are mappings.
  if (Array.isArray(data) && data.length > 0) return data.map((item) => itemOf(item, most));
  if (isJsonObject(data) && isLarge(data, most)) return fieldsOf(data, most);
  return [write(data)];
}

/** Not by `stringify`, whose file has what reads YAML, too. */
function write(value: Json): string {
  const document = new Document(value, {
    customTags: (tags: Tags) => [exactNumber, textTag, ...tags],
    compat: 'yaml-1.1',
    aliasDuplicateObjects: false,
  });
  return document.toString({ lineWidth: 0 }).replace(/\n$/, '');
}

function itemOf(item: Json, most: number): string {
  const plain = plainItem(item);
  if (plain !== undefined) return plain;
  return isLarge(item, most) ? `- ${indented(yamlLines(item, most))}` : write([item]);
}

function fieldsOf(data: JsonObject, most: number): string[] {
  return Object.entries(data).flatMap(([name, value]) => {
    if (value === undefined) return [];
    const key = sureKey(name);
    if (key === undefined || !isLarge(value, most))
      return plainField(name, value) ?? write({ [name]: value });
    return `${key}:\n  ${indented(yamlLines(value, most))}`;
  });
}

/** No text has a line end of its own. */
function indented(parts: readonly string[]): string {
  return parts.join('\n').replaceAll('\n', '\n  ');
}

/** Whether there are more values in it than that. */
function isLarge(value: Json, most: number): boolean {
  let left = most;
  const isOver = (part: Json | undefined): boolean => {
    left -= 1;
    return left < 0 || partsOf(part).some(isOver);
  };
  return partsOf(value).some(isOver);
}

function partsOf(value: Json | undefined): readonly (Json | undefined)[] {
  if (Array.isArray(value)) return value;
  return value !== undefined && isJsonObject(value) ? Object.values(value) : [];
}

/** An item whose fields leave no doubt how they are written, undefined for others: what could decide takes a hundred times as long. */
function plainItem(item: Json): string | undefined {
  if (!isJsonObject(item)) return undefined;
  const fields: string[] = [];
  for (const name of Object.keys(item)) {
    const value = item[name];
    if (value === undefined) continue;
    const field = plainField(name, value);
    if (field === undefined) return undefined;
    fields.push(field);
  }
  return fields.length === 0 ? undefined : `- ${fields.join('\n  ')}`;
}

function plainField(name: string, value: Json): string | undefined {
  const key = sureKey(name);
  const text = value instanceof ExactNumber ? value.text : sureText(value);
  return key === undefined || text === undefined ? undefined : `${key}: ${text}`;
}

function sureKey(name: string): string | undefined {
  const key = sureText(name);
  return key !== undefined && key.length <= longestName ? key : undefined;
}

/** What stands in the text without a meaning of its own, but for `:` and `#`. */
const surelyPlain = /^\p{L}(?:[\p{L}\p{N} !$%&'()*+,./;<=>?@[\]^_`{|}~-]*[\p{L}\p{N}!?.)_])?$/u;
/** Some readers take these for no text. */
const noText = /^(?:y|yes|n|no|on|off|true|false|null)$/i;
/** A longer name needs a mark of its own. */
const longestName = 1_000;

function sureText(text: Json): string | undefined {
  if (typeof text !== 'string') return undefined;
  if (isBare(text) && surelyPlain.test(text)) return noText.test(text) ? undefined : text;
  return quotedText(text);
}

const exactNumber: ScalarTag = {
  tag: 'tag:yaml.org,2002:int',
  identify: (value) => value instanceof ExactNumber,
  default: true,
  resolve: (text) => text,
  stringify: ({ value }) => String(value),
};

/** Text stands without quotes if it begins with a letter and has no space but U+0020: readers do not agree on the rest. */
const wordLike = /^\p{L}[\S ]*$/u;

const textTag: ScalarTag = {
  tag: 'tag:yaml.org,2002:str',
  identify: (value) => typeof value === 'string',
  default: true,
  resolve: (text) => text,
  stringify(item, context) {
    const text = String(item.value);
    return (
      quotedText(text) ??
      stringifyString({ ...item, value: text }, { ...context, actualString: true })
    );
  },
};

/** The text in double quotes if that is how it has to be. */
function quotedText(text: string): string | undefined {
  const quoted = replaceUnsafe(JSON.stringify(text), yamlEscape);
  return wordLike.test(text) && quoted.length === text.length + 2 ? undefined : quoted;
}

/** `\u202e` or `\U000e0041`. */
function yamlEscape(character: string): string {
  const code = (character.codePointAt(0) ?? 0).toString(16);
  return code.length > 4 ? `\\U${code.padStart(8, '0')}` : `\\u${code.padStart(4, '0')}`;
}
