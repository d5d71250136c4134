import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { Failure } from '../../../src/errors.ts';
import { unloadable } from '../../../src/text/unloadable.ts';

function outcome(error: unknown): unknown {
  try {
    return unloadable(error);
  } catch (thrown) {
    return thrown;
  }
}

const system = (code: string) =>
  Object.assign(new Error(`${code}: open '/usr/lib/petstore/chunks/yaml.js'`), {
    code,
    syscall: 'open',
  });
const missing = Object.assign(new Error("Cannot find module './chunks/yaml.js'"), {
  code: 'MODULE_NOT_FOUND',
});

describe('a part of the program that cannot be loaded', () => {
  test.for([
    { error: missing, message: 'petstore was replaced or removed while it was running' },
    { error: system('ENOENT'), message: 'petstore was replaced or removed while it was running' },
    {
      error: new SyntaxError('cut'),
      message: 'petstore was replaced or removed while it was running',
    },
    { error: system('EMFILE'), message: 'too many open files to load a part of petstore (EMFILE)' },
    { error: system('ENFILE'), message: 'too many open files to load a part of petstore (ENFILE)' },
    { error: system('EACCES'), message: 'cannot load a part of petstore (EACCES)' },
  ])('is a failure in words, without a path ($message)', ({ error, message }) => {
    const failure = outcome(error);

    expect(failure).toBeInstanceOf(Failure);
    expect(failure).toMatchObject({ kind: 'output', exitCode: 74, message });
    expect(JSON.stringify((failure as Failure).details.hint ?? '')).not.toContain('/');
  });

  test('is no excuse for a bug in it', () => {
    const bug = new TypeError('x is not a function');

    expect(outcome(bug)).toBe(bug);
  });

  test('is never left to end as a bug: each import() of the program says what to do about it', () => {
    const files = readdirSync('src', { recursive: true, encoding: 'utf8' }).filter((file) =>
      file.endsWith('.ts'),
    );

    // The tree of commands has one place for all of them.
    const careless = files.filter((file) => {
      const code = readFileSync(join('src', file), 'utf8');
      return (
        file !== join('commands', 'index.ts') && /\bimport\('[^']+'\)(?!\s*\.catch\()/.test(code)
      );
    });

    expect(careless).toEqual([]);
  });
});
