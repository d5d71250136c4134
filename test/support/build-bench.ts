import { execFileSync } from 'node:child_process';

/** The programs of test/bench, which kill imports, are built too. */
export default function buildBench(): void {
  execFileSync('npm', ['run', 'bench:build', '--silent'], { stdio: 'inherit' });
}
