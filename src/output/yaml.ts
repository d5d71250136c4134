import { type ScalarTag, stringify, type Tags } from 'yaml';
import { stringifyString } from 'yaml/util';
import { ExactNumber, type Json } from '../json/exact.ts';
import { replaceUnsafe } from './safe-text.ts';
import type { Sink } from './sink.ts';

/** Items that are written at a time: on the way to text they take many times the room. */
const piece = 1_000;

/** One YAML document, the same to readers of 1.1 and 1.2: each number has all its digits, each text stands on one line. */
export function yamlLines(data: Json, sink: Sink): string[] {
  const write = (value: Json) =>
    stringify(value, {
      customTags: (tags: Tags) => [exactNumber, textTag(sink), ...tags],
      compat: 'yaml-1.1',
      aliasDuplicateObjects: false,
      lineWidth: 0,
    }).trimEnd();
  if (!Array.isArray(data) || data.length === 0) return [write(data)];
  const pieces = Math.ceil(data.length / piece);
  // Sequences one after another are one sequence.
  return Array.from({ length: pieces }, (_, n) => write(data.slice(n * piece, (n + 1) * piece)));
}

const exactNumber: ScalarTag = {
  tag: 'tag:yaml.org,2002:int',
  identify: (value) => value instanceof ExactNumber,
  default: true,
  resolve: (text) => text,
  stringify: ({ value }) => String(value),
};

/** Text begins with a letter if it stands without quotes, since readers do not agree on what else may be a text. */
const wordLike = /^\p{L}/u;

function textTag(sink: Sink): ScalarTag {
  return {
    tag: 'tag:yaml.org,2002:str',
    identify: (value) => typeof value === 'string',
    default: true,
    resolve: (text) => text,
    stringify(item, context) {
      const value = sink.redact(String(item.value));
      const quoted = replaceUnsafe(JSON.stringify(value), yamlEscape);
      if (!wordLike.test(value) || quoted.length !== value.length + 2) return quoted;
      return stringifyString({ ...item, value }, { ...context, actualString: true });
    },
  };
}

/** `\u202e` or `\U000e0041`. */
function yamlEscape(character: string): string {
  const code = (character.codePointAt(0) ?? 0).toString(16);
  return code.length > 4 ? `\\U${code.padStart(8, '0')}` : `\\u${code.padStart(4, '0')}`;
}
