import type { Doi } from '../../../api/dois.ts';
import { type Action, type Event, stateProblem } from '../../../api/states.ts';
import type { Context } from '../../../cli/context.ts';
import { CliError, toCliError } from '../../../errors.ts';
import { type Change, changesMember, changeText } from '../../../records/changes.ts';
import { indentJson } from '../../../text/json.ts';
import { visible } from '../../../text/redact.ts';
import { counted } from '../../../text/words.ts';
import type { Look } from '../../../ui/look.ts';
import { styleOfState } from './table.ts';

export type ReportFormat = 'text' | 'json' | 'ndjson';

/**
 * Prints a record: JSON as the service sent it, text as one line with what was done, the DOI and its address.
 * @param action what was done to it, if anything; an error of the output says so too.
 * @throws {CliError} kind `output`.
 */
export async function printRecord(
  context: Context,
  doi: Doi,
  format: ReportFormat = context.host.terminal.stdout ? 'text' : 'json',
  action?: Action,
): Promise<void> {
  const { id, text } = doi;
  try {
    if (format === 'ndjson') await context.out.write(`${text}\n`);
    else if (format === 'json') await context.out.write(`${indentJson(text)}\n`);
    else await context.host.stdout.write(`${writtenLine(context.look, doi, action)}\n`);
  } catch (error) {
    const failure = toCliError(error);
    if (failure.kind !== 'output' || action === undefined) throw error;
    throw failure.with({
      message: `${id} was ${action}, but ${failure.message}`,
      hint: context.suggest('dois', 'get', id),
    });
  }
}

/** `Created 10.5072/abc (draft) https://example.org/` */
function writtenLine(
  look: Look,
  { id, attributes: { state, url } }: Doi,
  action: Action | undefined,
): string {
  const done = action === undefined ? [] : [action.replace(/^./, (letter) => letter.toUpperCase())];
  const shown = visible(String(state));
  const address = typeof url === 'string' && url !== '' ? url : undefined;
  return [
    ...done,
    visible(id),
    `(${look.paint(styleOfState(shown), shown)})`,
    address === undefined ? 'without a URL' : visible(address),
  ].join(' ');
}

/**
 * Prints a record that was written, and compares its state with the event of the request: the service may leave a
 * record in another state and still answer with success (service.md, W4).
 * @throws {CliError} kind `rejected` when they differ. The rest of the request has been carried out.
 */
export async function printWritten(
  context: Context,
  doi: Doi,
  { action, event, format }: { action: Action; event: Event | undefined; format: ReportFormat | undefined },
): Promise<void> {
  await printRecord(context, doi, format, action);
  const problem = stateProblem(doi, action, event);
  if (problem !== undefined) {
    throw new CliError('rejected', problem, { hint: context.suggest('dois', 'get', doi.id) });
  }
}

/** Prints what a command would change of a record: a diff, or an object with the changes. */
export async function printPreview(
  context: Context,
  doi: string,
  changes: readonly Change[],
  format: ReportFormat | undefined,
): Promise<void> {
  if (format === 'json' || format === 'ndjson') {
    const preview = { doi, changes: changesMember(changes) };
    await context.out.write(`${JSON.stringify(preview, undefined, format === 'json' ? 2 : 0)}\n`);
  } else {
    await context.out.write(changes.map(changeText).join(''));
  }
  const what =
    changes.length === 0 ? `${doi} would stay as it is` : `${counted(changes.length, 'change')} in ${doi}`;
  context.messages.note(`${what}; nothing was sent (--dry-run)`);
}
