import { join } from 'node:path';

/** Returns the environment of a program whose files all lie in one folder. */
export function environment(
  home: string,
  { url, key }: { readonly url: string; readonly key: string },
): Record<string, string> {
  return {
    PATH: process.env.PATH ?? '',
    PETSTORE_BASE_URL: url,
    PETSTORE_API_KEY: key,
    PETSTORE_STATE_DIR: join(home, 'state'),
    PETSTORE_CONFIG_DIR: join(home, 'config'),
  };
}
