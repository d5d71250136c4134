import { type InFile, type Setting, settings } from './table.ts';

type Table = typeof settings;

/** The names of the settings that are declared with all of `Part`. */
type Having<Part> = {
  [Name in keyof Table]: Table[Name] extends Part ? Name : never;
}[keyof Table];

/** A setting of the settings file. */
export type SettingName = Having<InFile>;
/** One that each profile has its own of. */
export type ProfileSetting = Having<{ readonly file: 'profile' }>;
/** One that always has a value. */
export type WithFallback = Having<{ readonly fallback: string }>;

/** "--max-wait <duration>" as Commander names it: maxWait. */
type KeyOf<Flags> = Flags extends `${string}--${infer Name} <${string}>` ? Camel<Name> : never;
type Camel<Name> = Name extends `${infer First}-${infer Rest}`
  ? `${First}${Capitalize<Camel<Rest>>}`
  : Name & string;

/** What is given on a command line for settings. */
export type SettingOptions = {
  readonly [Name in Having<{ readonly flags: string }> as KeyOf<Table[Name]['flags']>]?: string;
};

/** The option of a setting as messages and tables call it: --max-wait. */
export function flagOf(flags: string): string {
  return flags.replace(/^.*(--\S+).*$/, '$1');
}

/** The same table, where each setting may have all that can be declared of one. */
export const declared: {
  readonly [Name in keyof Table]: Setting & (Table[Name] extends InFile ? InFile : unknown);
} = settings;

/** What each profile of the settings file can have, or the top of the file. */
export function namesIn<File extends InFile['file']>(file: File) {
  const names = Object.keys(settings) as (keyof Table)[];
  return names.filter((name) => declared[name].file === file) as Having<{ readonly file: File }>[];
}

/** All that the settings file can have. */
export const settingNames: readonly SettingName[] = [...namesIn('profile'), ...namesIn('top')];
