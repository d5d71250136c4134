import { sep } from 'node:path';
import type { Command } from 'commander';
import { faultOfAccess } from '../../disk/denied.ts';
import { Failure, usageFailure } from '../../errors.ts';
import { notice, warn } from '../../events.ts';
import type { Host } from '../../session/host.ts';
import { inSession, type Session } from '../../session/session.ts';
import { addColumns } from '../columns.ts';
import { agree, obstacleToAsking, refuseUnasked } from '../confirm.ts';
import { addExamples } from '../examples.ts';
import { type Kept, listKept } from '../kept.ts';
import { addNotes } from '../notes.ts';
import { type Outcome, remove } from './remove.ts';
import { judge } from './verdict.ts';

type Options = { readonly dryRun?: boolean; readonly yes?: boolean; readonly force?: boolean };

const columns = ['path', 'result', 'why'] as const;

export function define(command: Command, host: Host): void {
  command.description(
    'Remove what petstore keeps on this machine: settings and API keys of all profiles, recorded rate limits, import journals and the sandbox',
  );
  addExamples(command, ['petstore reset --dry-run', 'petstore reset --yes']);
  addNotes(command, [
    [
      'Kept, with the reason:',
      [
        ['unfinished imports', 'their journals, and the command to resume each'],
        ['waits in force', 'without them the next request is sent too early'],
        ['what is in use', 'by another petstore process; with --force too'],
        ['other files', 'that petstore did not create; with --force too'],
        ['Tab completion', 'to remove it: petstore completion uninstall'],
      ],
    ],
    'With --force, an import that is not finished cannot be resumed: with --allow-duplicates it would create all its rows again. A request that is sent before a wait ends can get the API key banned.',
    'No request is sent. The service still accepts the removed API keys.',
  ]);
  addColumns(command, columns);
  command
    .option('--dry-run', 'list what would be removed and what would be kept')
    .option('--yes', 'skip the confirmation')
    .option('--force', 'remove unfinished journals and waits in force too')
    .action(async (options: Options) =>
      inSession(host, command, (session) => reset(session, options), {
        newProfile: true,
        invalidSettings: true,
        unreadable: true,
      }),
    );
}

async function reset(session: Session, { dryRun, yes, force = false }: Options): Promise<void> {
  const { host, options, output, report } = session;
  if (options.profile !== undefined) {
    throw usageFailure(
      '--profile cannot be used with reset, which removes all profiles',
      'For one profile: petstore profile delete NAME',
    );
  }
  output.checkColumns(columns);
  if (!dryRun && !yes) {
    const quiet = options.quiet ? 'the list is hidden by --quiet' : undefined;
    refuseUnasked(obstacleToAsking(session) ?? quiet, 'To see what would be removed: --dry-run');
  }
  const plan = await look(session, force);
  sayKept(session, plan);
  if (plan.going.length === 0) notice(report, 'nothing to remove');
  if (dryRun) return show(session, 'wouldRemove', plan.going.map(pathOf), plan.staying);
  if (plan.going.length === 0) return show(session, 'removed', [], plan.staying);

  if (!yes) {
    sayGoing(session, plan.going);
    await agree(session, questionOf(plan.going));
  }
  await output.load();
  // The question may have taken its time.
  const { going, staying } = yes ? plan : await look(session, force);
  const { removed, stayed } = await remove(host.context, going);
  if (removed.length + stayed.length === 0) notice(report, 'another process has removed all of it');
  for (const { path, why } of stayed) warn(report, `kept: ${path} (${why})`);
  if (going.some(({ kind, path }) => kind === 'key' && removed.includes(path))) {
    notice(report, 'the service may still accept the API keys that were removed');
  }
  await show(session, 'removed', removed, [...staying, ...stayed]);
  throwFirst(session, { removed, stayed });
}

type Stays = { readonly path: string; readonly why: string };

type Plan = {
  readonly going: readonly Kept[];
  readonly staying: readonly Stays[];
};

async function look({ host: { context } }: Session, force: boolean): Promise<Plan> {
  const verdicts = await judge(context, listKept(context), force);
  const staying = verdicts.flatMap(({ one: { path }, why }) =>
    why === undefined ? [] : { path, why },
  );
  // A folder stays with what is kept in it.
  const isNeeded = ({ path }: Kept) => staying.some((kept) => kept.path.startsWith(path + sep));
  const going = verdicts.filter(({ one, why }) => why === undefined && !isNeeded(one));
  return { going: going.map(({ one }) => one), staying };
}

function pathOf({ path }: { readonly path: string }): string {
  return path;
}

function sayKept({ report }: Session, { staying }: Plan): void {
  for (const { path, why } of staying) warn(report, `kept: ${path} (${why})`);
}

function sayGoing({ report }: Session, going: readonly Kept[]): void {
  const lines = going.map(({ path, what }) => `  ${path} (${what})`);
  report({ event: 'notice', message: 'to be removed:', more: { lines, fields: {} } });
}

function questionOf(going: readonly Kept[]): string {
  const keys = going.filter(({ kind }) => kind === 'key').length;
  const what = going.length === 1 ? '1 file or folder' : `${going.length} files and folders`;
  const some = keys === 0 ? '' : `, ${keys} stored API ${keys === 1 ? 'key' : 'keys'} included`;
  return `Remove ${what}${some}?`;
}

async function show(
  { host, output }: Session,
  what: 'removed' | 'wouldRemove',
  paths: readonly string[],
  kept: readonly Stays[],
): Promise<void> {
  const result = what === 'removed' ? what : 'would be removed';
  const rows = [
    ...paths.map((path) => ({ path, result })),
    ...kept.map(({ path, why }) => ({ path, result: 'kept', why })),
  ];
  if (rows.length === 0 && host.format === 'table') return;
  const reasons = kept.map(({ path, why }) => ({ path, why }));
  await output.overview({ [what]: [...paths], kept: reasons }, rows, columns);
}

/** @throws Failure (output) where something could not be removed */
function throwFirst({ host: { context } }: Session, { removed, stayed }: Outcome): void {
  const failed = stayed.filter(({ error }) => error !== undefined);
  const [first] = failed;
  if (!first) return;
  const others = failed.length > 1 ? `, and ${failed.length - 1} more` : '';
  const { error, path, why } = first;
  const isFailure = error instanceof Failure;
  throw new Failure('output', `${isFailure ? why : `${path} ${why}`}${others}`, {
    consequence: `Removed: ${removed.length}; not removed: ${failed.length}.`,
    hint: isFailure ? error.details.hint : faultOfAccess(error, context.uid)?.fix,
    cause: error,
  });
}
