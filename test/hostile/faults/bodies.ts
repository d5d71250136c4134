import { gzipSync } from 'node:zlib';
import { body, endless, json, say } from '../answers.ts';
import { strict } from '../commands.ts';
import type { Fault } from '../fault.ts';

const wrong = /unexpected response: expected .*, got /;
const lists = ['list', 'get', 'import', 'limits'] as const;
const creates = ['create', 'rows'] as const;
const deep = (depth: number) => '['.repeat(depth) + ']'.repeat(depth);

/** Puts an id in place of the good answer's own. */
const id = (text: string) =>
  say(({ status, good }) => json(status, good.replace(/"id":\d+/, `"id":${text}`)));

/** Bodies that are not what the interface promises. */
export const bodyFaults: readonly Fault[] = [
  {
    fault: 'no body',
    react: body(''),
    means: 'wrong',
    says: /got an empty body/,
  },
  { fault: 'spaces for a body', react: body('  \n'), means: 'wrong', says: wrong },
  { fault: 'null', react: body('null'), means: 'wrong', only: strict, says: /null/ },
  { fault: 'true', react: body('true'), means: 'wrong', only: strict, says: wrong },
  { fault: 'a number', react: body('1e400'), means: 'wrong', only: strict, says: wrong },
  { fault: 'a text', react: body('"hello"'), means: 'wrong', only: strict, says: wrong },
  {
    fault: 'an object for a list',
    react: body('{"categories":[]}'),
    means: 'wrong',
    only: lists,
    says: /got an object/,
  },
  {
    fault: 'a list for an object',
    react: body('[{"id":1,"name":"dog"}]'),
    means: 'wrong',
    only: ['create', 'rows', 'pet'],
  },
  {
    fault: 'a list with null in it',
    react: body('[null]'),
    means: 'wrong',
    only: lists,
    says: /item 1/,
  },
  { fault: 'a list in a list', react: body('[[]]'), means: 'wrong', only: lists, says: /item 1/ },
  {
    fault: 'HTML',
    react: body('<html><title>Log in</title></html>', {
      'content-type': 'text/html; charset=utf-8',
    }),
    means: 'wrong',
    says: /expected JSON, got text\/html; charset=utf-8\n(.*\n)?.*login page/,
  },
  {
    fault: 'HTML that says it is JSON',
    react: body('<html></html>'),
    means: 'wrong',
    says: /got invalid JSON/,
  },
  {
    fault: 'JSON that says it is text',
    react: say(({ status, good }) => json(status, good, { 'content-type': 'text/plain' })),
    means: 'wrong',
    says: /expected JSON, got text\/plain/,
  },
  {
    fault: 'JSON of another kind',
    react: say(({ status, good }) =>
      json(status, good, { 'content-type': 'application/json-seq' }),
    ),
    means: 'wrong',
    says: /expected JSON, got/,
  },
  {
    fault: 'an empty content type',
    react: say(({ status, good }) => json(status, good, { 'content-type': '' })),
    means: 'wrong',
    says: /expected JSON, got/,
  },
  {
    fault: 'JSONP',
    react: say(({ status, good }) => json(status, `callback(${good})`)),
    means: 'wrong',
    says: wrong,
  },
  {
    fault: 'JSON with a prefix against hijacking',
    react: say(({ status, good }) => json(status, `)]}',\n${good}`)),
    means: 'wrong',
    says: wrong,
  },
  {
    fault: 'two JSON texts',
    react: say(({ status, good }) => json(status, good + good)),
    means: 'wrong',
    says: /unexpected text after/,
  },
  {
    fault: 'JSON with a comma too many',
    react: say(({ status, good }) => json(status, good.replace(/([\]}])$/, ',$1'))),
    means: 'wrong',
    says: wrong,
  },
  {
    fault: 'JSON with a comment',
    react: say(({ status, good }) => json(status, `/* hi */${good}`)),
    means: 'wrong',
    says: wrong,
  },
  {
    fault: 'half a JSON text of the length told',
    react: say(({ status, good }) => json(status, good.slice(0, -2))),
    means: 'wrong',
    says: wrong,
  },
  { fault: 'NaN', react: id('NaN'), means: 'wrong', says: wrong },
  {
    fault: 'invalid UTF-8',
    react: say(({ status, good }) =>
      json(status, Buffer.from(good.replace('name', 'n\u00e4me'), 'latin1')),
    ),
    means: 'wrong',
    only: [...lists, ...creates, 'pet'],
    says: /got invalid UTF-8/,
  },
  {
    fault: 'an overlong form of a slash',
    react: body(Buffer.from([0x22, 0xc0, 0xaf, 0x22])),
    means: 'wrong',
    says: /got invalid UTF-8/,
  },
  {
    fault: 'UTF-16',
    react: say(({ status, good }) => json(status, Buffer.from(`\ufeff${good}`, 'utf16le'))),
    means: 'wrong',
    says: /got invalid UTF-8/,
  },
  {
    fault: 'a field given twice',
    react: say(({ status, good }) => json(status, good.replace('"id"', '"id":0,"id"'))),
    means: 'wrong',
    says: /duplicate field "id"/,
  },
  {
    fault: 'a field given twice, once escaped',
    react: say(({ status, good }) => json(status, good.replace('"id"', '"\\u0069d":0,"id"'))),
    means: 'wrong',
    says: /duplicate field "id"/,
  },
  {
    fault: 'nesting of 33',
    react: body(deep(34)),
    means: 'wrong',
    says: /nested more than 32 levels deep/,
  },
  {
    fault: 'nesting of 100,000',
    react: body(deep(100_000)),
    means: 'wrong',
    says: /nested more than 32 levels deep/,
  },
  {
    fault: 'objects nested 100,000 deep',
    react: body('{"a":'.repeat(100_000)),
    means: 'wrong',
    says: /nested more than 32 levels deep/,
  },
  {
    fault: 'a gzip bomb',
    react: body(gzipSync(Buffer.alloc(10_000_000, ' ')), { 'content-encoding': 'gzip' }),
    means: 'wrong',
    says: /compressed/,
  },
  {
    fault: 'a body without end',
    react: endless(
      'HTTP/1.1 201 OK\r\ncontent-type: application/json\r\n\r\n"',
      Buffer.alloc(65_536, 'x'),
    ),
    means: 'wrong',
    only: ['rows'],
  },
  {
    fault: 'a told length beyond all bounds',
    react: endless(
      'HTTP/1.1 201 OK\r\ncontent-type: application/json\r\ncontent-length: 999999999999\r\n\r\n"',
      Buffer.alloc(65_536, 'x'),
    ),
    means: 'wrong',
    only: ['rows'],
  },
];
