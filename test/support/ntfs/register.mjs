import { register } from 'node:module';

// Puts fs.mjs in the place of node:fs for every module that is loaded from here on.
const hooks = `export const resolve = (specifier, context, next) =>
  specifier === 'node:fs' && context.parentURL !== ${JSON.stringify(new URL('fs.mjs', import.meta.url).href)}
    ? { url: ${JSON.stringify(new URL('fs.mjs', import.meta.url).href)}, shortCircuit: true }
    : next(specifier, context);`;
register(`data:text/javascript,${encodeURIComponent(hooks)}`);
