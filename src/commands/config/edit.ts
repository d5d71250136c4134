import { existsSync } from 'node:fs';
import type { Command } from 'commander';
import { explained, Failure, usageFailure } from '../../errors.ts';
import { notice, warn } from '../../events.ts';
import { type Host, mayAsk } from '../../session/host.ts';
import { inSession, type Session } from '../../session/session.ts';
import { type Copy, makeCopy } from '../../settings/copy.ts';
import { readSettingsText, type Settings, settingsFile } from '../../settings/file.ts';
import { requireConfigFolder } from '../../settings/folders.ts';
import { profileNames } from '../../settings/profiles.ts';
import { agree, obstacleToAsking } from '../confirm.ts';
import { addExamples } from '../examples.ts';
import { addNotes } from '../notes.ts';
import { chooseEditor, editorFailure, openEditor } from './editor.ts';
import { noticeOfNewProfile } from './names.ts';
import { validateSettings } from './validate.ts';

/** What is opened where there is no file yet. */
const frame = `${JSON.stringify({ profiles: { production: {} } }, undefined, 2)}\n`;

export function define(command: Command, host: Host): void {
  command.description(
    'Edit the settings file in $VISUAL, $EDITOR or vi (Windows: notepad). What you save is checked first, and an invalid file is opened again. A file that is broken can be repaired.',
  );
  addExamples(command, ['petstore config edit', "VISUAL='code -w' petstore config edit"]);
  addNotes(command, ['Needs a terminal. In scripts, use `petstore config set`.']);
  command.action(async () =>
    inSession(
      host,
      command,
      async (session, faults) => {
        refuseWithoutTerminal(session);
        for (const { message } of faults) warn(session.report, message);
        await edit(session);
      },
      { newProfile: true, invalidSettings: true, unreadable: true },
    ),
  );
}

/** @throws Failure (usage) */
function refuseWithoutTerminal(session: Session): void {
  const { host, options } = session;
  const obstacle = obstacleToAsking(session);
  if (obstacle === undefined) return;
  // The one that is left is the format.
  const hint = mayAsk(host.context, options)
    ? 'petstore config edit -o table'
    : 'petstore config set SETTING VALUE';
  throw usageFailure(`cannot open an editor: ${obstacle}`, hint);
}

async function edit(session: Session): Promise<void> {
  const { host, report } = session;
  const folder = requireConfigFolder(host.context);
  const { replaceSettings } = await import('../../settings/save.ts');
  const before = readSettingsText(folder);
  const opened = before ?? frame;
  const copy = makeCopy(folder, opened);
  let isKept = false;
  try {
    const edited = await editUntilValid(session, copy, opened);
    if (!edited) return notice(report, 'no changes');
    isKept = true;
    const { text, settings } = edited;
    const path = await savedOrKept(copy, host, () =>
      replaceSettings(host.context, folder, before, text),
    );
    isKept = false;
    notice(report, `saved ${path}`);
    const { 'default-profile': byDefault } = settings;
    if (byDefault !== undefined && !profileNames(folder, settings).includes(byDefault)) {
      notice(report, noticeOfNewProfile(byDefault));
    }
  } finally {
    if (!isKept) copy.remove();
  }
}

/** Saves a valid copy. @throws Failure that says where the copy is */
async function savedOrKept<Saved>(
  { path }: Copy,
  { context }: Host,
  save: () => Promise<Saved>,
): Promise<Saved> {
  try {
    return await save();
  } catch (error) {
    const consequence = `Nothing was saved. Your version is in ${path}`;
    throw explained(error, context.signal, { consequence });
  }
}

type Edited = { readonly text: string; readonly settings: Settings };

/** What the user made of a copy, valid; undefined where nothing is changed. @throws Failure, which may be that it is cancelled */
async function editUntilValid(
  session: Session,
  copy: Copy,
  opened: string,
): Promise<Edited | undefined> {
  const { context } = session.host;
  const editor = chooseEditor(context);
  for (;;) {
    await openEditor(context, editor, copy.path);
    if (!existsSync(copy.path)) throw editorFailure(editor, 'removed the file');
    try {
      const text = copy.read();
      if (text === opened) return undefined;
      return { text, settings: validateSettings(text, settingsFile) };
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      await askToEditAgain(session, error);
    }
  }
}

/** @throws Failure (interrupted) when the answer is no */
async function askToEditAgain(session: Session, { message, details }: Failure): Promise<void> {
  const { host, report } = session;
  warn(report, message);
  if (details.hint) notice(report, details.hint);
  await agree(session, 'Edit again?', { byDefault: true }).catch((error) => {
    throw explained(error, host.context.signal, { consequence: 'Nothing was saved.' });
  });
}
