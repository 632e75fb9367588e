import type { Context } from '../../context.ts';
import { CliError } from '../../errors.ts';
import { pageFetcher } from '../../harvest/fetch-page.ts';
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
  const page = await pageFetcher(service)(service.http.url(doiPath(doi))).catch((error: unknown) => {
    if (!(error instanceof CliError) || error.kind !== 'not-found') throw error;
    const reader = service.credentials === undefined ? 'anonymous readers' : 'these credentials';
    throw new CliError('not-found', `${doi} does not exist, or ${reader} may not read it`, {
      ...(error.status === undefined ? {} : { status: error.status }),
      ...(service.credentials === undefined ? { hint: 'Draft and Registered DOIs need credentials' } : {}),
    });
  });
  if (page.kind !== 'single') throw new CliError('unexpected', 'the answer is not one DOI record');
  // Case does not matter in DOIs.
  if (page.id(0)?.toLowerCase() !== doi.toLowerCase()) {
    throw new CliError('unexpected', `the service answered with another DOI, ${page.id(0)}`);
  }
  const record = page.record(0);
  await context.out.write(format === 'ndjson' ? record : indentJson(record.toString()), '\n');
}

/** The path of one DOI: a single segment, so that a suffix of dots or slashes cannot lead elsewhere. */
export function doiPath(doi: string): string {
  return `/dois/${encodeURIComponent(doi)}`;
}
