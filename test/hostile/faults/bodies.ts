import { gzipSync } from 'node:zlib';
import { body, changed, endless, replaced } from '../answers.ts';
import { strict } from '../commands.ts';
import { faultsOf } from '../fault.ts';

const wrong = /unexpected response: expected .*, got /;
const notUtf8 = /got invalid UTF-8/;
const twice = /duplicate field "id"/;
const tooDeep = /nested more than 32 levels deep/;
const lists = ['list', 'get', 'import', 'limits'] as const;
const creates = ['create', 'rows'] as const;

const typed = (type: string) => changed((good) => good, { 'content-type': type });
const bomb = gzipSync(Buffer.alloc(10_000_000, ' '));
const head = 'HTTP/1.1 201 OK\r\ncontent-type: application/json\r\n';
const endlessly = (fields: string) => endless(`${head}${fields}\r\n"`, Buffer.alloc(65_536, 'x'));

/** Bodies that are not what the interface promises. */
export const bodyFaults = faultsOf('wrong', [
  ['no body', body(''), /got an empty body/, strict],
  ['spaces for a body', body('  \n'), wrong],
  ['null', body('null'), /null/, strict],
  ['a number', body('1e400'), wrong, strict],
  ['an object for a list', body('{"categories":[]}'), /got an object/, lists],
  ['a list for an object', body('[{"id":1,"name":"dog"}]'), undefined, [...creates, 'pet']],
  ['a list with null in it', body('[null]'), /item 1/, lists],
  [
    'HTML',
    body('<html><title>Log in</title></html>', { 'content-type': 'text/html; charset=utf-8' }),
    /expected JSON, got text\/html; charset=utf-8\n(.*\n)?.*login page/,
  ],
  ['an id of text', replaced(/"id":\d+/, '"id":"7"'), /64-bit integer/, ['list', 'create']],
  ['HTML that says it is JSON', body('<html></html>'), /got invalid JSON/],
  ['JSON that says it is text', typed('text/plain'), /expected JSON, got text\/plain/],
  ['an empty content type', typed(''), /expected JSON, got/],
  ['JSONP', changed((good) => `callback(${good})`), wrong],
  ['two JSON texts', changed((good) => good + good), /unexpected text after/],
  ['half a JSON text of the length told', changed((good) => good.slice(0, -2)), wrong],
  [
    'invalid UTF-8',
    changed((good) => Buffer.from(good.replace('name', 'n\u00e4me'), 'latin1')),
    notUtf8,
    [...lists, ...creates, 'pet'],
  ],
  ['an overlong form of a slash', body(Buffer.from([0x22, 0xc0, 0xaf, 0x22])), notUtf8],
  ['UTF-16', changed((good) => Buffer.from(`\ufeff${good}`, 'utf16le')), notUtf8],
  ['a field given twice', replaced('"id"', '"id":0,"id"'), twice],
  ['nesting of 100,000', body('['.repeat(100_000) + ']'.repeat(100_000)), tooDeep],
  ['objects nested 100,000 deep', body('{"a":'.repeat(100_000)), tooDeep],
  ['a gzip bomb', body(bomb, { 'content-encoding': 'gzip' }), /compressed/],
  ['a body without end', endlessly(''), undefined, ['rows']],
  [
    'a length beyond all bounds',
    endlessly('content-length: 999999999999\r\n'),
    undefined,
    ['rows'],
  ],
]);
