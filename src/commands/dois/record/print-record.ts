import type { Doi } from '../../../api/dois.ts';
import type { Context } from '../../../cli/context.ts';
import { toCliError } from '../../../errors.ts';
import { indentJson } from '../../../text/json-text.ts';
import { visible } from '../../../text/redact.ts';
import type { Action } from './state-checks.ts';

export type ReportFormat = 'text' | 'json' | 'ndjson';

/**
 * Prints a record that was written.
 * @param action what was done to it, if anything; an error of the output says so too.
 * @throws {CliError} kind `output`.
 */
export async function printRecord(
  context: Context,
  doi: Doi,
  wanted: ReportFormat | undefined,
  action?: Action,
): Promise<void> {
  try {
    await print(context, doi, wanted);
  } catch (error) {
    const failure = toCliError(error);
    if (failure.kind !== 'output' || action === undefined) throw error;
    throw failure.with({
      message: `${doi.id} was ${action}, but ${failure.message}`,
      hint: context.suggest('dois', 'get', doi.id),
    });
  }
}

/** JSON is as the service sent it; the text is the DOI, its state and its URL. */
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
