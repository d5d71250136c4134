import { execFileSync } from 'node:child_process';

let built = false;

/** Tests of real processes run the built program: build it from the sources that are being tested, once for all tiers. */
export default function build(): void {
  if (built) return;
  built = true;
  execFileSync(process.execPath, ['build.mjs'], { stdio: 'inherit' });
}
