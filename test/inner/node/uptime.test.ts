import { describe, expect, test } from 'vitest';
import { createUptime } from '../../../src/node/node-context.ts';

describe('the time since the machine started', () => {
  test('is as fine as the ticks, and goes on while the machine sleeps and they stand still', () => {
    let seconds = 900;
    let ticks = 5;
    const uptime = createUptime(
      () => seconds,
      () => ticks,
    );
    expect(uptime()).toBe(900_000);
    ticks += 0.25;
    expect(uptime()).toBe(900_000.25);

    seconds += 3_600;
    ticks += 10;
    expect(uptime()).toBe(4_500_000);
  });
});
