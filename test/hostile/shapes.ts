/** A JSON text of about so many bytes that is made of one thing. */
type Shape = (bytes: number) => string;

/** A list of such elements. */
const list =
  (element: (n: number) => string): Shape =>
  (bytes) =>
    `[${few(Number.POSITIVE_INFINITY, element)(bytes)}]`;

const text =
  (unit: string): Shape =>
  (bytes) =>
    `"${unit.repeat(Math.floor((bytes - 100) / Buffer.byteLength(unit)))}"`;

/** A JSON text with no more than so many values in it. */
const few =
  (count: number, element: (n: number) => string): Shape =>
  (bytes) => {
    let left = count;
    const elements: string[] = [];
    for (let n = 0, length = 100; left > 0; left -= 1, n += 1) {
      const next = element(n);
      length += Buffer.byteLength(next) + 1;
      if (length > bytes) break;
      elements.push(next);
    }
    return elements.join();
  };

const wrapped =
  (inside: Shape): Shape =>
  (bytes) =>
    `{"data":[${inside(bytes)}]}`;
const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth);
const [mark, dog] = ['\u202e', '\u{1f436}'];

/** Answers to `api` that are lists. */
export const lists: Readonly<Record<string, Shape>> = {
  'empty arrays': list(() => '[]'),
  'deep nesting': list(() => nested(30)),
  'objects with a key of their own': list((n) => `{"k${n}":1}`),
  'wide objects': list(() => `{${Array.from({ length: 1_000 }, (_, n) => `"k${n}":1`).join()}}`),
  records: list((n) => `{"id":${n},"name":"pet ${n}","tags":["a","b"],"owner":{"name":"x"}}`),
  'long texts': list((n) => `"${String(n).padStart(100_000, 'x')}"`),
  'long numbers': list((n) => `${n + 1}${'0'.repeat(300)}.5e10`),
};

/** Answers to `api` that are none. */
export const wholes: Readonly<Record<string, Shape>> = {
  'one text of NUL': text('\\u0000'),
  'one text of marks': text(mark),
  'one text of emoji': text(dog),
  'one number': (bytes) => '9'.repeat(bytes),
  'one object of long keys': (bytes) =>
    `{${few(149_000, (n) => `"${String(n).padStart(1_000, 'k')}":1`)(bytes)}}`,
  'one object of keys of marks': (bytes) =>
    `{${few(149_000, (n) => `"${String(n).padStart(50, mark)}":1`)(bytes)}}`,
  'one object with empty arrays': wrapped(few(149_000, () => '[]')),
  'one object with deep nesting': wrapped(few(149_000 / 29, () => nested(29))),
  'one object with keys of their own': wrapped(few(149_000 / 2, (n) => `{"k${n}":1}`)),
  'one object with records': wrapped(
    few(149_000 / 5, (n) => `{"id":${n},"name":"pet ${n}","text":"The one of ${n}","more":null}`),
  ),
};

/** Some short of the most values of an element. */
const many = 19_900;
const category = (n: number, more: string) => `{"id":${n},"name":"dog ${n}","x":${more}}`;
const long = 900_000;

/** Answers to `categories list`. */
export const categories: Readonly<Record<string, Shape>> = {
  'short names': list(() => '{"id":1,"name":""}'),
  'names with escapes': list((n) => `{"id":${n},"name":"\\u0000\\n${n}","description":"\\"\\\\"}`),
  'names in Unicode': list((n) => `{"id":${n},"name":"câ${mark}${n}","description":"犬 ${dog}"}`),
  'names of 900 KB': list((n) => `{"id":${n},"name":"${'x'.repeat(long)}"}`),
  'names of 900 KB of marks': list((n) => `{"id":${n},"name":"${mark.repeat(long / 3)}"}`),
  'extra fields of 900 KB': list((n) => category(n, `"${'x'.repeat(long)}"`)),
  'extra arrays': list((n) => category(n, `[${Array(many).fill('[]')}]`)),
  'extra nesting': list((n) => category(n, `[${Array(Math.floor(many / 29)).fill(nested(29))}]`)),
  'extra keys': list((n) =>
    category(n, `{${Array.from({ length: many }, (_, k) => `"k${n}_${k}":1`)}}`),
  ),
  'long extra texts': list((n) =>
    category(n, `[${Array.from({ length: 9_000 }, (_, k) => `"${String(k).padStart(90, 'x')}"`)}]`),
  ),
  'one field of its own each': list((n) => `{"id":${n},"name":"dog","x${n}":1}`),
};
