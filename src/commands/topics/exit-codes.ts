import type { Command } from 'commander';
import type { Host } from '../../session/host.ts';
import { listOf } from '../help.ts';

/** What scripts may rely on; README and man page say the same. */
export const meanings: readonly (readonly [codes: string, meaning: string])[] = [
  ['0', 'done, an empty list too'],
  ['1', 'a bug in petstore'],
  ['2', 'usage, settings or input wrong; nothing was sent'],
  ['3', 'refused by the service: 400, 404, 409, 422, any other 4xx'],
  ['4', 'no key, or 401 or 403'],
  ['5', 'network, TLS, timeout, 5xx, or an answer that is not what the interface promises'],
  ['6', "a write's outcome is unknown: it may have been created"],
  ['7', 'an import is not finished: some rows were refused or are left'],
  [
    '74',
    'the result, a setting or a journal cannot be written, or a part of petstore not be loaded',
  ],
  ['75', 'rate limited, by a 429 or a 503 with Retry-After: not done; try again at the time given'],
  ['129, 130, 143, 141', 'hung up, interrupted, terminated, reader of stdout went away'],
];

export function define(command: Command, { sink }: Host): void {
  command.action(() => sink.print([listOf('Exit codes:', meanings)]));
}
