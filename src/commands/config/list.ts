import type { Command } from 'commander';
import { notice } from '../../events.ts';
import type { App } from '../../session/app.ts';
import { withSession } from '../../session/session.ts';
import { addColumns } from '../columns.ts';
import { addExamples } from '../examples.ts';
import { inForce, namesInForce, rowOf } from './in-force.ts';

const columns = ['setting', 'value', 'source'] as const;

export function define(command: Command, app: App): void {
  addColumns(command, columns);
  addExamples(command, ['petstore config list', 'petstore config list --profile staging --json']);
  command.action(async () =>
    withSession(
      app,
      command,
      async (session) => {
        session.output.checkColumns(columns);
        for (const { message } of session.faults) notice(session.report, message);
        // The format of this list says nothing of what other commands print.
        const { output, ...options } = session.options;
        const others = { ...session, options };
        const rows = namesInForce.map((name) => rowOf(name, inForce(name, others)));
        await session.output.print({ data: rows, columns });
      },
      { invalidSettings: true },
    ),
  );
}
