import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { isNightly } from '../support/trials.ts';
import { checkFault, checkUnreached } from './check-fault.ts';
import { type CommandName, commandNames } from './commands.ts';
import type { Fault } from './fault.ts';
import { bodyFaults } from './faults/bodies.ts';
import { codingFaults } from './faults/codings.ts';
import { connectionFaults } from './faults/connections.ts';
import { framingFaults } from './faults/framing.ts';
import { headFaults } from './faults/heads.ts';
import { recordFaults } from './faults/records.ts';
import { statusFaults } from './faults/statuses.ts';
import { strangeFaults } from './faults/strange.ts';
import { textFaults } from './faults/texts.ts';
import { certificateFaults, unreachedFaults } from './faults/unreached.ts';
import { type HostilePair, startHostilePair } from './server.ts';

const tables: Readonly<Record<string, readonly Fault[]>> = {
  'a body that nobody promised': bodyFaults,
  'a coding of the body': codingFaults,
  'a length that is told twice or wrongly, or another 2xx': framingFaults,
  'a head that is no HTTP, or too much of it': headFaults,
  'a category that lacks something': recordFaults,
  'a status other than the promised one': statusFaults,
  'what is strange and no fault': strangeFaults,
  'text that acts, hides or betrays': textFaults,
};

const few: readonly CommandName[] = ['list', 'create', 'rows', 'pet'];
const common = [...Object.values(tables).flat(), ...connectionFaults].filter(({ only }) => !only);
/** The first fault of each meaning; all commands meet these. */
const examples = new Set(
  new Map(common.toReversed().map((fault) => [fault.expected, fault])).values(),
);
/** How many commands run at a time. */
const width = 8;

const timeout = 300_000;
const folder = mkdtempSync(join(tmpdir(), 'petstore-tls-'));
let pair: HostilePair;
beforeAll(async () => {
  pair = await startHostilePair();
});
afterAll(() => {
  pair.close();
  rmSync(folder, { recursive: true });
});

describe('a service that goes wrong: each command ends as promised', () => {
  test.for(Object.entries(tables))('%s', { timeout }, async ([, faults]) => {
    expect(await proveMet(faults)).toEqual([]);
  });

  test('nobody goes where a redirect points', () => {
    expect(pair.elsewhere.connections()).toBe(0);
  });
});

describe.concurrent('a network that goes wrong, which is mostly waited for', () => {
  test('a connection that breaks or stalls', { timeout }, async () => {
    expect(await proveMet(connectionFaults)).toEqual([]);
  });

  test('an address, TLS or a proxy: exit 5, nothing was sent', { timeout }, async () => {
    expect(await checkAll(unreachedFaults, checkUnreached)).toEqual([]);
  });

  test('a certificate: exit 5, nothing was sent', { tags: ['openssl'], timeout }, async () => {
    expect(await checkAll(certificateFaults(folder), checkUnreached)).toEqual([]);
  });
});

function proveMet(faults: readonly Fault[]): Promise<string[]> {
  return checkAll(faults, (fault) => {
    const names = isNightly || examples.has(fault) ? commandNames : few;
    return checkFault(fault, names, pair.server);
  });
}

/** Returns the promises that were broken, each with its fault. */
async function checkAll<F extends { readonly fault: string }>(
  faults: readonly F[],
  check: (fault: F) => Promise<readonly string[]>,
): Promise<string[]> {
  const broken: string[] = [];
  const left = faults.values();
  const work = async () => {
    for (const fault of left) {
      for (const promise of await check(fault)) broken.push(`${fault.fault}: ${promise}`);
    }
  };
  await Promise.all(Array.from({ length: width }, work));
  return broken;
}
