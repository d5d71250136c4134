import { load } from 'js-yaml';
import { describe, expect, test } from 'vitest';
import { blocksOf, readPage, sectionOf } from '../../support/sections.ts';

const page = readPage('ci.md');

describe('the page on CI', () => {
  test.for(['GitHub Actions', 'GitLab CI'])('has valid YAML for %s', (system) => {
    const [file = ''] = blocksOf(sectionOf(page, system), 'yaml');

    expect(load(file)).toBeTypeOf('object');
    expect(file).toContain('sh petstore-import.sh pets.csv');
  });

  test.for(['GitHub Actions', 'GitLab CI', 'cron', 'A container image'])(
    'says what becomes of exit 75 and 6 with %s, and where the key is',
    (system) => {
      const section = sectionOf(page, system);

      expect(section).toMatch(/\b75\b/);
      expect(section).toMatch(/\b6\b/);
      expect(section).toMatch(/PETSTORE_API_KEY|auth login/);
    },
  );

  test('has a container image of five lines', () => {
    const [file = ''] = blocksOf(page, 'dockerfile');

    expect(file.trim().split('\n')).toHaveLength(5);
  });
});
