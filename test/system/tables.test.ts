import { describe } from 'vitest';
import { ExactNumber } from '../../src/json/exact.ts';
import { widthOf } from '../../src/output/layout.ts';
import { startService } from '../bench/service.ts';
import { expect, test } from '../support/program.ts';

describe('A table of the built program', () => {
  test('has its lines under each other, whatever package draws and measures it', async ({
    petstore,
  }) => {
    const service = await startService();
    const names = [
      'dog',
      '犬と猫',
      'नमस्ते',
      '👩\u200d👩\u200d👧',
      '❤️ heart',
      'می\u200cخواهم',
      'สวัสดีครับ',
    ];
    service.state.categories.push(
      ...names.map((name, at) => ({ id: new ExactNumber(`${at}`), name })),
    );
    const env = { PETSTORE_BASE_URL: service.url, PETSTORE_API_KEY: service.key, LANG: 'C.UTF-8' };

    const { code, stdout } = await petstore(['categories', 'list'], { env });
    service.close();

    const lines = stdout.trimEnd().split('\n');
    expect({ code, lines: lines.length }).toEqual({ code: 0, lines: names.length + 4 });
    for (const name of names) expect(stdout).toContain(`│ ${name} `);
    expect(new Set(lines.map(widthOf)).size).toBe(1);
  });
});
