import { defineConfig } from 'rolldown';
import { withoutUnused } from '../../rolldown.config.mjs';

const programs = ['limits', 'import', 'bars', 'figures'];

export default defineConfig({
  input: programs.map((program) => `test/bench/${program}.ts`),
  platform: 'node',
  plugins: [withoutUnused()],
  output: { format: 'esm', dir: 'node_modules/.bench' },
});
