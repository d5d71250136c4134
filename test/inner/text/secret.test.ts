import { describe, expect, test } from 'vitest';
import { cutOut, formsOf } from '../../../src/text/secret.ts';

const key = 'ky+7Canary/%41"<b>=\\Zq9~f';

describe('a secret', () => {
  test.for([
    ['as it is', key],
    ['in a URL', encodeURIComponent(key)],
    [
      'in a URL in small letters',
      encodeURIComponent(key).replace(/%../g, (code) => code.toLowerCase()),
    ],
    ['in Base64', Buffer.from(key).toString('base64')],
    ['in Base64 for URLs', Buffer.from(key).toString('base64url')],
    ['as a header in Base64', Buffer.from(`Bearer ${key}`).toString('base64')],
    ['in Base64 for URLs, one byte behind', Buffer.from(`x${key}yz`).toString('base64url')],
    ['in Base64 with a user', Buffer.from(`user:${key}`).toString('base64')],
  ] as const)('%s is cut out', ([, text]) => {
    const clean = cutOut(`<${text}>`, formsOf(key));

    expect(clean).toMatch(/^<.{0,12}\[key\].{0,4}>$/);
  });

  test('wherever it stands in what was encoded, nothing of its middle is left', () => {
    for (const encoding of ['base64', 'base64url'] as const) {
      for (let before = 0; before < 7; before += 1) {
        for (let after = 0; after < 7; after += 1) {
          const text = Buffer.from('a'.repeat(before) + key + 'z'.repeat(after)).toString(encoding);
          expect(cutOut(text, formsOf(key)).length).toBeLessThan(
            5 + 4 * Math.ceil((before + after + 4) / 3),
          );
        }
      }
    }
  });
});
