import { Argument, type Command, Option } from 'commander';
import { type App, type Kind, runSession, type Session } from '../session/session.ts';
import { addExamples, addNotes, type Note } from './help.ts';

/** An argument or an option as Commander writes it, what help says of it, and its values or what reads them, or both. */
type Parameter = readonly [
  form: string,
  meaning: string,
  values?: readonly string[] | ((text: string) => unknown),
  parse?: (text: string) => unknown,
];

/** What a command is beside its summary. `run` gets a session before the arguments and options that Commander passes. */
export type Verb = Kind & {
  readonly description?: string;
  readonly usage?: string;
  readonly takes?: readonly Parameter[];
  readonly options?: readonly Parameter[];
  readonly examples: readonly string[];
  readonly notes?: readonly Note[];
  readonly run: (session: Session, ...given: never[]) => Promise<void>;
};

export function define(command: Command, app: App, verb: Verb): void {
  const { description, usage, takes = [], options = [], examples, notes = [], run } = verb;
  if (description) command.description(description);
  if (usage) command.usage(usage);
  for (const [form, meaning, ...values] of takes) {
    command.addArgument(withValues(new Argument(form, meaning), ...values));
  }
  for (const [form, meaning, ...values] of options) {
    command.addOption(withValues(new Option(form, meaning), ...values));
  }
  addExamples(command, examples);
  if (notes.length > 0) addNotes(command, notes);
  command.action((...given) =>
    runSession(app, command, verb, (session) => run(session, ...(given as never[]))),
  );
}

function withValues<Taker extends Argument | Option>(
  taker: Taker,
  values?: Parameter[2],
  parse = typeof values === 'function' ? values : undefined,
): Taker {
  if (typeof values === 'object') taker.choices(values);
  if (parse) taker.argParser(parse);
  return taker;
}
