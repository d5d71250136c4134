import type { Environment } from '../context.ts';
import { declared, flagOf } from '../settings/names.ts';
import type { CommonOptions } from './options.ts';

/** A value in force, and where it was given: a flag, a variable, the settings file, or `default`. */
export type Given = { readonly value: string; readonly source: string };

/** What the command line says of a setting, or else the environment. An empty variable gives nothing. */
export function givenOutside(
  name: keyof typeof declared,
  options: CommonOptions,
  env: Environment,
): Given | undefined {
  const { flags, alias, variable } = declared[name];
  const given: Readonly<Record<string, unknown>> = options;
  if (alias && given[keyOf(alias.flag)]) return { value: alias.value, source: alias.flag };
  const flag = flags && flagOf(flags);
  const value = flag && given[keyOf(flag)];
  if (flag && value !== undefined) return { value: String(value), source: flag };
  return variable && env[variable] ? { value: env[variable], source: variable } : undefined;
}

/** As Commander names an option: maxWait. */
function keyOf(flag: string): string {
  return flag.slice('--'.length).replace(/-(.)/g, (_, letter: string) => letter.toUpperCase());
}
