import type { Environment } from '../context.ts';

/**
 * Returns the variables by name. On Windows PATH, Path and path are one variable: each is found in upper case as well. A copy
 * for a child has the user's spelling, because the shell of Git for Windows distinguishes them; Node prefers upper case there.
 */
export function readEnvironment(variables: Environment, platform: string): Environment {
  const own = { ...variables };
  if (platform !== 'win32') return own;
  const entries = Object.entries(own).map(([name, value]) => [name.toUpperCase(), value]);
  // A copy by `{ ...env }` leaves out what is inherited.
  return Object.setPrototypeOf(own, Object.fromEntries(entries));
}
