import type { Command } from 'commander';
import { notice } from '../../events.ts';
import type { Host } from '../../session/host.ts';
import { inSession } from '../../session/session.ts';
import { addColumns } from '../columns.ts';
import { addExamples } from '../examples.ts';
import { inForce, namesInForce, rowOf } from './in-force.ts';

const columns = ['setting', 'value', 'source'] as const;

export function define(command: Command, host: Host): void {
  addColumns(command, columns);
  addExamples(command, ['petstore config list', 'petstore config list --profile staging --json']);
  command.action(async () =>
    inSession(
      host,
      command,
      async (session, faults) => {
        session.output.checkColumns(columns);
        for (const { message } of faults) notice(session.report, message);
        // The format of this list says nothing of what other commands print.
        const { output, json, ...options } = session.options;
        const others = { ...session, options };
        const rows = namesInForce.map((name) => rowOf(name, inForce(name, others)));
        await session.output.print({ data: rows, columns });
      },
      { invalidSettings: true },
    ),
  );
}
