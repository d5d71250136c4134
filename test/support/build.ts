import { execFileSync } from 'node:child_process';

/** Tests of real processes run the built program: build it from the sources that are being tested. */
export default function build(): void {
  execFileSync('npm', ['run', 'build', '--silent'], { stdio: 'inherit' });
}
