import { describe, expect, test } from 'vitest';
import { createUptime } from '../../../src/node/uptime.ts';

describe('the time since the machine started', () => {
  test('is as fine as the ticks, which begin anywhere', () => {
    let ticks = 5;
    const uptime = createUptime(
      () => 900,
      () => ticks,
    );
    const start = uptime();
    ticks += 0.25;

    expect(start).toBe(900_000);
    expect(uptime()).toBe(900_000.25);
  });

  test('goes on while the machine sleeps, and its ticks stand still', () => {
    let seconds = 900;
    let ticks = 5;
    const uptime = createUptime(
      () => seconds,
      () => ticks,
    );
    uptime();
    seconds += 3_600;
    ticks += 10;

    expect(uptime()).toBe(4_500_000);
  });

  test('goes by its ticks where the system does not tell', () => {
    let ticks = 5;
    const uptime = createUptime(
      () => {
        throw new Error('ENOSYS');
      },
      () => ticks,
    );
    uptime();
    ticks += 1_000;

    expect(uptime()).toBe(1_005);
  });
});
