import { spawnSync } from 'node:child_process';
import { cpus } from 'node:os';
import manifest from '../../package.json' with { type: 'json' };
import type { Machine } from '../../src/docs/figures/measured.ts';

/** This machine, today. */
export function machineHere(): Machine {
  const [{ model = 'unknown' } = {}, ...others] = cpus();
  return {
    date: new Date().toISOString().slice(0, 10),
    node: process.versions.node,
    cores: others.length + 1,
    cpu: model,
    peers: {
      ...Object.fromEntries(['curl', 'jq', 'http'].flatMap(versionOf)),
      'p-retry': manifest.devDependencies['p-retry'],
    },
  };
}

function versionOf(program: string): [string, string][] {
  const { stdout } = spawnSync(program, ['--version'], { encoding: 'utf8' });
  const [version] = /\d+(\.\d+)+/.exec(stdout ?? '') ?? [];
  return version === undefined ? [] : [[program, version]];
}
