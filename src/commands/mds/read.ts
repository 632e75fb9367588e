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
  await print(context, text);
}

/** Prints the registered DOIs below the account's first prefix, one a line, as MDS spells them. */
export async function listCommand(context: Context, options: MdsOptions): Promise<void> {
  const { http } = await mdsService(context, options, 'mds-list');
  const text = await getText(http, 'doi');
  if (text === undefined) return context.messages.note('MDS lists no DOIs');
  await print(context, text);
}

function print({ out }: Context, text: string): Promise<void> {
  return out.write(text.endsWith('\n') ? text : `${text}\n`);
}
