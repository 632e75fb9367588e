import type { Doi } from '../../../api/dois.ts';
import type { Event } from '../../../api/states.ts';
import { stateAfter } from '../../../api/states.ts';
import type { Context } from '../../../cli/context.ts';
import { CliError, toCliError } from '../../../errors.ts';
import { indentJson } from '../../../text/json-text.ts';
import { visible } from '../../../text/redact.ts';

export type ReportFormat = 'text' | 'json' | 'ndjson';

/**
 * Prints a record that was written.
 * @param deed what was done to it, if anything.
 * @throws {CliError} kind `output`, which says what was done all the same.
 */
export async function printRecord(
  context: Context,
  doi: Doi,
  wanted: ReportFormat | undefined,
  deed?: Deed,
): Promise<void> {
  try {
    await print(context, doi, wanted);
  } catch (error) {
    const { kind, message } = toCliError(error);
    if (kind !== 'output' || deed === undefined) throw error;
    throw new CliError(kind, `${doi.id} was ${deed}, but ${message}`, {
      hint: context.suggest('dois', 'get', doi.id),
      cause: error,
    });
  }
}

/** As the service sent it, or the least that a person wants to know. */
async function print(
  context: Context,
  { id, attributes, text }: Doi,
  wanted: ReportFormat | undefined,
): Promise<void> {
  const format = wanted ?? (context.host.terminal.stdout ? 'text' : 'json');
  if (format === 'ndjson') return context.out.write(`${text}\n`);
  if (format === 'json') return context.out.write(`${indentJson(text)}\n`);
  const lines = [
    `DOI    ${id}`,
    `State  ${attributes['state']}`,
    `URL    ${attributes['url'] ?? 'none'}`,
    '',
  ];
  return context.out.write(lines.map((line) => visible(line)).join('\n'));
}

/** What was done to a record, before its state is looked at. */
export type Deed = 'created' | 'updated' | 'published' | 'registered' | 'hidden';

/**
 * Checks the state that came back against the event that was asked for: the service may leave a record in
 * another state and answer with success all the same (observed).
 * @throws {CliError} kind `rejected` when they differ; what was asked for is done but for that.
 */
export function checkState(
  { id, attributes }: Doi,
  deed: Deed,
  event: Event | undefined,
  hint: string,
): void {
  if (event === undefined && deed !== 'created') return;
  const expected = stateAfter(event);
  const { state, reason } = attributes;
  if (state === expected) return;
  const found = state === undefined ? 'the service does not tell its state' : `its state is ${String(state)}`;
  const why = typeof reason === 'string' && reason !== '' ? `: ${reason}` : whyNot(event, attributes);
  throw new CliError('rejected', `${id} was ${deed}, but ${found}, not ${expected} as asked${why}`, { hint });
}

/** Why an event may have had no effect, as far as the record tells. */
function whyNot(event: Event | undefined, { url, state }: Doi['attributes']): string {
  if (event === 'hide' && state === 'draft') return ': only a Findable record can be hidden';
  if (event === 'register' && state === 'findable') return ': a Findable record is hidden, not registered';
  if (event !== undefined && event !== 'hide' && !url) return ': it has no URL';
  return event === undefined ? '' : ': the service did not take the event';
}

/** Says of a DOI that was not found that it may be there, for others to see. */
export function absent(error: unknown, doi: string, reader: string, hint?: string): unknown {
  if (!(error instanceof CliError) || error.kind !== 'not-found') return error;
  return new CliError('not-found', `${doi} does not exist, or ${reader} may not read it`, {
    ...(error.status === undefined ? {} : { status: error.status }),
    ...(hint === undefined ? {} : { hint }),
    cause: error,
  });
}
