import { build } from 'rolldown';
import config from './rolldown.config.mjs';

// Prints errors alone, unlike rolldown's command line, so that `npm run dev` shows only what petstore prints.
await build(config);
