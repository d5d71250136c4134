import type { Command } from 'commander';
import { getPet } from '../../api/endpoints.ts';
import { Failure, nothingSent, usageFailure } from '../../errors.ts';
import type { Report } from '../../events.ts';
import type { Host } from '../../session/host.ts';
import { inSession } from '../../session/session.ts';
import { isoTime } from '../../text/iso-time.ts';
import { addExamples } from '../examples.ts';
import { knownSunset, rememberSunset } from './sunsets.ts';

type Options = { readonly failOnDeprecated?: boolean };

const operation = `${getPet.method} ${getPet.path}`;

export function define(command: Command, host: Host): void {
  command.description(
    'Show a pet, as the service returns it. The service has deprecated this operation; petstore shows its sunset date where the service sends one, and remembers it for --fail-on-deprecated.',
  );
  addExamples(command, [
    'petstore pets get 1',
    'petstore pets get 1 --json',
    'petstore pets get 1 --fail-on-deprecated || echo "exit code $?"',
  ]);
  command
    .argument('<pet-id>', 'id of the pet')
    .option(
      '--fail-on-deprecated',
      'exit 3 and print no pet; no request is sent once the sunset date is known',
    )
    .action(async (petId: string, { failOnDeprecated = false }: Options) =>
      inSession(host, command, async (session) => {
        const { connect, output, report } = session;
        // As a path segment these two would name another path.
        if (['', '.', '..'].includes(petId)) throw usageFailure(`invalid pet id "${petId}"`);
        const { now } = host.context;
        if (failOnDeprecated) {
          const known = await knownSunset(session, operation);
          const hint = 'To send the request, leave out --fail-on-deprecated.';
          if (known !== undefined) throw deprecated(known, now()).with({ ...nothingSent, hint });
        }
        let sunset: number | undefined;
        const listen: Report = (event) => {
          if (event.event === 'deprecation') sunset = event.sunset;
          report(event);
        };
        const client = await connect(listen);

        const pet = await client.call(getPet, { petId }).finally(async () => {
          if (sunset !== undefined) await rememberSunset(session, operation, sunset);
        });
        if (failOnDeprecated) throw deprecated(sunset, now());
        await output.anything(pet);
      }),
    );
}

function deprecated(sunset: number | undefined, now: number): Failure {
  return new Failure('refused', `${operation} is deprecated${whatFollows(sunset, now)}`);
}

function whatFollows(sunset: number | undefined, now: number): string {
  if (sunset === undefined) return '';
  const date = isoTime(sunset).slice(0, '2026-12-31'.length);
  return sunset < now
    ? `; it was scheduled to be removed on ${date}`
    : `; the service removes it on ${date}`;
}
