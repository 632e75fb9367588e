import type { Doi } from '../../../api/dois.ts';
import { type Event, stateAfter } from '../../../api/states.ts';
import type { Context } from '../../../cli/context.ts';
import { CliError, toCliError } from '../../../errors.ts';
import { indentJson } from '../../../text/json-text.ts';
import { isNonEmptyString } from '../../../text/json-values.ts';
import { visible } from '../../../text/redact.ts';
import type { Look } from '../../../ui/look.ts';
import { styleOfState } from './table.ts';

/** What a command did to a record. */
type Action = 'created' | 'updated' | 'published' | 'registered' | 'hidden';

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
    address === undefined ? 'without a URL' : look.link(visible(address), address),
  ].join(' ');
}

/**
 * Compares the state of the record in the answer with the event of the request: the service may leave a
 * record in another state and still answer with success (service.md, W4).
 * @throws {CliError} kind `rejected` when they differ. The rest of the request has been carried out.
 */
export function checkState(doi: Doi, action: Action, event: Event | undefined, hint: string): void {
  const problem = stateProblem(doi, action, event);
  if (problem !== undefined) throw new CliError('rejected', problem, { hint });
}

/** How the state of a record differs from the one asked for; undefined when it does not. */
export function stateProblem(
  { id, attributes }: Doi,
  action: Action,
  event: Event | undefined,
): string | undefined {
  if (event === undefined && action !== 'created') return undefined;
  const expected = stateAfter(event);
  const { state, reason } = attributes;
  if (state === expected) return undefined;
  const found = state === undefined ? 'the service does not say its state' : `its state is ${String(state)}`;
  const why = isNonEmptyString(reason) ? `: ${reason}` : whyNot(event, attributes);
  return `${id} was ${action}, but ${found}, not ${expected} as asked${why}`;
}

/** Why an event may have had no effect, judging by the record. */
function whyNot(event: Event | undefined, { url, state }: Doi['attributes']): string {
  if (event === 'hide' && state === 'draft') return ': only a Findable record can be hidden';
  if (event === 'register' && state === 'findable') return ': a Findable record can only be hidden';
  if (event === 'show' && state === 'draft') return ': only a Registered record can be shown';
  if (event !== undefined && event !== 'hide' && !url) return ': it has no URL';
  return event === undefined ? '' : ': the service ignored the event';
}
