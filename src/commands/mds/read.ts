import { getText, type MdsResource } from '../../api/mds.ts';
import type { Context } from '../../cli/context.ts';
import { CliError } from '../../errors.ts';
import { type MdsOptions, mdsService } from './service.ts';

const NOUNS: Readonly<Record<MdsResource, string>> = {
  doi: 'address',
  metadata: 'metadata',
  media: 'media',
};

/**
 * Prints the URL, the XML metadata or the media of a DOI.
 * @throws {CliError} kind `not-found` also if the DOI exists and has none.
 */
export async function readCommand(
  context: Context,
  resource: MdsResource,
  doi: string,
  options: MdsOptions,
): Promise<void> {
  const { http } = await mdsService(context, options);
  const text = await getText(http, resource, doi);
  if (text === undefined) throw new CliError('not-found', `${doi} has no ${NOUNS[resource]} in MDS`);
  await context.out.write(text.endsWith('\n') ? text : `${text}\n`);
}
