import type { Doi } from '../../api/dois.ts';
import { isTestSystem } from '../../api/service.ts';
import { doiPath, webAddressOf } from '../../cli/base-url.ts';
import type { Context } from '../../cli/context.ts';
import { CliError, usageError } from '../../errors.ts';
import { webAddress } from '../../ui/look.ts';

/** A page of a DOI: its address, the DOI itself, or what DataCite shows of it to everybody or to its account. */
export type WebPage = 'landing' | 'doi' | 'commons' | 'fabrica';

/** Opens a page of a record in the browser, or prints its address where there is none. */
export async function openPage(context: Context, doi: Doi, page: WebPage): Promise<void> {
  const address = addressOf(await context.baseUrl(), doi, page);
  const { env, terminal } = context.host;
  const { openInBrowser } = await import('../../ui/user-programs.ts');
  // In a script, the address is of more use than a window.
  if (terminal.stdout && (await openInBrowser(address, env))) context.messages.note(`opened ${address}`);
  else await context.out.write(`${address}\n`);
}

/** @throws {CliError} kind `not-found` when there is no such page. */
function addressOf(baseUrl: URL, { id, attributes: { url, state } }: Doi, page: WebPage): string {
  const isTest = isTestSystem(baseUrl);
  const others = '--web landing opens its address, --web fabrica its page in DataCite Fabrica';
  switch (page) {
    case 'landing': {
      const address = typeof url === 'string' ? webAddress(url) : undefined;
      if (address === undefined) throw new CliError('not-found', `${id} has no web address`);
      return address;
    }
    case 'fabrica':
      return `https://doi.${isTest ? 'test.' : ''}datacite.org/dois/${encodeURIComponent(id)}`;
    case 'doi':
      if (state !== 'draft') return webAddressOf(baseUrl, id);
      throw new CliError('not-found', `${id} is a Draft: it does not resolve yet`, { hint: others });
    case 'commons':
      if (isTest) throw usageError('DataCite Commons shows no DOIs of the test system', others);
      if (state === 'findable') return `https://commons.datacite.org/doi.org/${doiPath(id)}`;
      throw new CliError('not-found', `DataCite Commons shows Findable DOIs, and ${id} is not`, {
        hint: others,
      });
  }
}
