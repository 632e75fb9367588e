import { asNotFound, registeredUrl } from '../../api/dois.ts';
import type { Context } from '../../cli/context.ts';
import { CliError, toCliError } from '../../errors.ts';

/**
 * Prints the address that a DOI is registered with, alone on a line.
 * @throws {CliError} kind `not-found` also if the DOI has no address.
 */
export async function urlCommand(
  context: Context,
  doi: string,
  { format }: { readonly format: 'text' | 'json' },
): Promise<void> {
  const service = await context.service('reads');
  const url = await registeredUrl(service, doi).catch((thrown: unknown) => {
    const error = toCliError(thrown);
    if (error.status !== 403 || service.credentials === undefined) throw asNotFound(thrown, doi, service);
    const hint = `for a DOI of another account: ${context.suggest('dois', 'get', doi, '--format', 'url', '--anonymous')}`;
    throw error.with({ hint });
  });
  if (url === undefined) throw new CliError('not-found', `${doi} has no address`);
  await context.out.write(format === 'json' ? `${JSON.stringify({ doi, url }, null, 2)}\n` : `${url}\n`);
}
