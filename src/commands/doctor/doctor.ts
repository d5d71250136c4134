import type { Command } from 'commander';
import type { Context } from '../../context.ts';
import type { Host } from '../../session/host.ts';
import { commonOptions } from '../../session/options.ts';
import { inChosenSession } from '../../session/session.ts';
import { addColumns } from '../columns.ts';
import { addExamples } from '../examples.ts';
import type { Finding } from './finding.ts';
import { examineMemory } from './limit.ts';
import { examineCertificates, examinePrograms, examineTerminal } from './machine.ts';
import { askService, examineWay } from './service.ts';
import { examineSettings } from './settings.ts';
import { examineState } from './state.ts';
import { examineStore } from './store.ts';
import { verdictsOf } from './summary.ts';

type Options = { readonly check?: boolean; readonly all?: boolean };

const columns = ['check', 'status', 'finding'] as const;

export function define(command: Command, host: Host): void {
  command.description(
    'Check the installation: versions, settings and where they come from, API key, proxy, certificates, state folder, limit store, rate limit and clock',
  );
  addExamples(command, [
    'petstore doctor',
    'petstore doctor --check --profile staging',
    `petstore doctor --query "[?status=='fail']"`,
  ]);
  addColumns(command, columns);
  command
    .option('--check', 'send one request to check that the service responds')
    .option('--all', 'list every check, not only the problems')
    .action(async ({ check = false, all: isWhole = false }: Options) => {
      const options = commonOptions(command);
      const { context } = host;
      const { maxWait, findings, ...choices } = await examineSettings(host, options);

      await inChosenSession(host, { options, ...choices }, async (session) => {
        session.output.checkColumns(columns);
        const way = await examineWay(session);
        const state = await examineState(context);
        const isOpen =
          way.every(({ failure }) => !failure) &&
          state.every(({ failure }) => failure?.kind !== 'config');
        const all: readonly Finding[] = [
          ...examinePrograms(context),
          ...findings,
          ...way,
          ...examineCertificates(context),
          ...examineTerminal(context, options),
          ...state,
          await examineStore(session),
          ...(isOpen && check ? [await askService(session)] : []),
          ...(isOpen ? await examineMemory(session, { check, maxWait }) : []),
        ];

        const rows = all.map(({ check, status, finding }) => ({
          check,
          status,
          finding: withoutHome(finding, context),
        }));
        await session.output.checklist(verdictsOf(rows, isWhole), rows, columns);
        // The rest depends on what comes first.
        const first = all.find(({ failure }) => failure);
        if (first?.failure) throw first.failure;
      });
    });
}

/** Pasted into a ticket, it need not show the user's name; a path in the quotes of a command stays, since no shell expands it there. */
function withoutHome(text: string, { home, platform }: Context): string {
  if (home.length <= 1) return text;
  const [name, separator] = platform === 'win32' ? ['%USERPROFILE%', '\\'] : ['~', '/'];
  const [first = '', ...rest] = text.split(`${home}${separator}`);
  return rest.reduce(
    (shown, part) => `${shown}${shown.endsWith("'") ? home : name}${separator}${part}`,
    first,
  );
}
