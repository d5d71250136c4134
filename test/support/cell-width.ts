import { createRequire } from 'node:module';
import { measureWidth } from '../../src/output/width.ts';

// In the built program cli-table3 measures text as petstore does (rolldown.config.mjs), and so it does in memory.
const { resolve } = createRequire(import.meta.url);
const asTable = createRequire(resolve('cli-table3'));
const module = { exports: measureWidth } as unknown as NodeJS.Module;
asTable.cache[asTable.resolve('string-width')] = module;
