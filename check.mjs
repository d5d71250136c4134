import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';

const commands = [
  'biome check --error-on-warnings .',
  'tsc',
  'knip',
  ...readdirSync('.github/workflows').map(
    (name) => `yaml valid --strict < ".github/workflows/${name}"`,
  ),
];

// npm's `&&` would stop at the first that fails. Windows finds these programs in a shell only.
const failed = commands.filter((command) => run(command) !== 0);

for (const command of failed) console.error(`failed: ${command}`);
if (failed.includes(commands[0])) console.error('Run: npm run format');
process.exitCode = Math.sign(failed.length);

function run(command) {
  console.log(command);
  return spawnSync(command, { shell: true, stdio: 'inherit' }).status;
}
