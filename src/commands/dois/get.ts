import { getDoi } from '../../api/dois.ts';
import type { Context } from '../../context.ts';
import { CliError } from '../../errors.ts';
import { indentJson } from '../../ui/indent-json.ts';

export interface GetOptions {
  readonly format: 'json' | 'ndjson';
}

/**
 * Prints one DOI record as the service sent it: `json` laid out for people, `ndjson` on one line.
 * @throws {CliError} kind `not-found` also for a Draft or Registered DOI that the credentials may not read.
 */
export async function getDoiCommand(context: Context, doi: string, { format }: GetOptions): Promise<void> {
  const service = await context.service('reads');
  const { text } = await getDoi(service, doi).catch((error: unknown) => {
    if (!(error instanceof CliError) || error.kind !== 'not-found') throw error;
    const reader = service.credentials === undefined ? 'anonymous readers' : 'these credentials';
    throw new CliError('not-found', `${doi} does not exist, or ${reader} may not read it`, {
      ...(error.status === undefined ? {} : { status: error.status }),
      ...(service.credentials === undefined ? { hint: 'Draft and Registered DOIs need credentials' } : {}),
    });
  });
  await context.out.write(format === 'ndjson' ? text : indentJson(text), '\n');
}
