import { describe } from 'vitest';
import { expect, test } from '../support/petstore.ts';
import { exact, formats } from '../support/values.ts';

/** As keyboards type them; escapes where an editor would show nothing. */
const texts = {
  'a coffee in colour': '☕\ufe0f break',
  'a flag': '🏳\ufe0f\u200d🌈',
  'a heart, Latin, Hebrew and Han': '❤\ufe0f Ünï café שלום 犬',
  Persian: 'می\u200cخواهم خانه\u200cها',
  'Persian with vowels': 'بِ\u200cپَر',
  Hindi: 'क्\u200dष क्\u200cष',
  'half a letter at the end': 'क्\u200d',
  Sinhala: 'ශ්\u200dරී',
  Bengali: 'র\u200d\u09cdযাব',
  Telugu: 'సాఫ్ట్\u200cవేర్',
  'old Malayalam': 'അവന്\u200d',
  Mongolian: 'ᠰᠠᠢ\u180bᠨ ᠬᠠᠷ\u180eᠠ',
};

/** Joiners and selectors that nobody can see. */
const hidden = {
  'a selector after a letter': 'a\ufe0f',
  'a selector after a letter of a flag': '🇩\ufe0f🇪',
  'a second selector after one that is needed': '❤\ufe0f\ufe0f',
  'a selector for black': '☎\ufe0e',
  'two selectors that contradict each other': '⭐\ufe0e\ufe0f',
  'a selector at the beginning': '\ufe0f⭐',
  'a selector of another kind': '⭐\ufe00',
  'a selector of an ideograph': '葛\u{e0100}',
  'an emoji joined to a letter': '👩\u200da',
  'a joiner after the last emoji': '👩\u200d',
  'tags of no known flag': '🏴\u{e0075}\u{e0073}\u{e0074}\u{e0078}\u{e007f}',
  'a non-joiner between Latin letters': 'd\u200cog',
  'a non-joiner between ideographs': '犬\u200c猫',
  'two non-joiners': 'می\u200c\u200cخواهم',
  'a selector of Mongolian after Latin': 'a\u180b',
  'a joiner after a heap of marks': `ب${'\u064e'.repeat(11)}\u200c`,
};

describe('Selectors and joiners', () => {
  test('are escaped where they hide, and exact in JSON', async ({ petstore, sandbox }) => {
    const names = Object.values(hidden);
    sandbox.categories.push(...names.map((name, at) => ({ id: exact(String(at)), name })));
    const argv = ['categories', 'list', '--columns', 'name', '--no-header', '-o'];

    const shown = (await petstore([...argv, 'tsv'])).stdout.split('\n');
    const json = (await petstore([...argv, 'ndjson'])).stdout.split('\n');

    for (const [row, what] of Object.keys(hidden).entries()) {
      expect(shown[row], what).toContain('\\u{');
      expect(json[row], what).toContain('\\u');
      expect(JSON.parse(json[row] ?? ''), what).toEqual({ name: names[row] });
    }
  });

  test.for(formats)('that are text stay, as %s', async (format, { petstore, sandbox }) => {
    const names = Object.values(texts);
    sandbox.categories.push(
      ...names.map((name, at) => ({ id: exact(String(at)), name, description: name })),
    );

    const { stdout } = await petstore(['categories', 'list', '-o', format]);

    for (const name of names) expect(stdout).toContain(name);
    expect(stdout).not.toMatch(/\\u/);
  });
});
