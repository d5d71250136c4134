import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { FaultyService } from './faulty-service.ts';

/** The environment of a program whose files are all to lie in one folder. */
export function environment(
  home: string,
  { url, key }: Pick<FaultyService, 'url' | 'key'>,
): Record<string, string> {
  return {
    PATH: process.env.PATH ?? '',
    PETSTORE_BASE_URL: url,
    PETSTORE_API_KEY: key,
    PETSTORE_STATE_DIR: join(home, 'state'),
    PETSTORE_CONFIG_DIR: join(home, 'config'),
  };
}

/** Puts beside the journal what the service saw, and says where. */
export function keepEvidence(home: string, { arrivals }: FaultyService): string {
  const path = join(home, 'service.ndjson');
  writeFileSync(path, arrivals.map((arrival) => `${JSON.stringify(arrival)}\n`).join(''));
  return `the journal lies in ${home}, and what the service saw in ${path}`;
}
