import type { Environment } from '../context.ts';

/**
 * The variables by name. On Windows PATH, Path and path are one variable: there each is found in upper case as well. For children
 * it keeps its spelling, because the shell that comes with Git distinguishes them.
 */
export function readEnvironment(variables: Environment, platform: string): Environment {
  const own = { ...variables };
  if (platform !== 'win32') return own;
  const entries = Object.entries(own).map(([name, value]) => [name.toUpperCase(), value]);
  // Inherited, so that a copy has the spellings alone.
  return Object.setPrototypeOf(own, Object.fromEntries(entries));
}

/**
 * The same for a child. Of names that Windows takes for one variable the last value counts, as when an object's property is set
 * anew: Node would take the name that sorts first.
 */
export function forChild(env: Environment, platform: string): Environment {
  if (platform !== 'win32') return env;
  const variables = new Map<string, readonly [string, string | undefined]>();
  for (const [name, value] of Object.entries(env)) {
    const key = name.toUpperCase();
    const [spelling] = variables.get(key) ?? [name];
    variables.set(key, [spelling, value]);
  }
  return Object.fromEntries(variables.values());
}
