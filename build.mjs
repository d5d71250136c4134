import { build } from 'rolldown';
import config from './rolldown.config.mjs';

// Prints nothing but what is wrong, unlike rolldown's own command line: `npm run dev` shows only what petstore prints.
await build(config);
