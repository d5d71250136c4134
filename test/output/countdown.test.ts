import { describe } from 'vitest';
import { expect, reply, test } from '../support/petstore.ts';
import { createTerminal } from '../support/terminal.ts';

// Loaded beforehand: the time of a test passes faster than a module loads.
await import('ora');

describe('a wait on a terminal', () => {
  test('counts down in one line, and is gone when it is over', async ({ petstore, sandbox }) => {
    const { output, text } = createTerminal(100);
    sandbox.reactions.push(reply(429, '', { 'retry-after': '300' }));

    const { exitCode } = await petstore(['categories', 'list', '--max-wait', '10m', '--no-color'], {
      context: { stderr: output },
    });

    expect(exitCode).toBe(0);
    expect(text()).toMatch(
      /Rate limit exceeded \(429\)\. Next request in 5:\d\d \(15:09:0\dZ\)\. Ctrl-C to stop\./,
    );
    expect(text()).toMatch(/rate limit: 59 of 60 left, resets in 1m \(.*\)\n$/);
  });

  test('of less than two seconds is not shown', async ({ petstore, sandbox }) => {
    const { output, text } = createTerminal(100);
    sandbox.reactions.push(reply(500, '', { 'retry-after': '2' }));

    await petstore(['categories', 'list'], { context: { stderr: output } });

    expect(text()).not.toContain('Next request');
  });
});
