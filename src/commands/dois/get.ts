import { getDoiAs, isJsonFormat, type OtherFormat } from '../../api/doi-formats.ts';
import { asNotFound, type Doi, getDoi, registeredUrl } from '../../api/dois.ts';
import { isTestSystem, type Service } from '../../api/service.ts';
import { doiPath, webAddressOf } from '../../cli/base-url.ts';
import type { Context } from '../../cli/context.ts';
import { CliError, toCliError, usageError } from '../../errors.ts';
import { indentJson } from '../../text/json.ts';
import { type Look, webAddress } from '../../ui/look.ts';

/** A page of a DOI: its address, the DOI itself, or what DataCite shows of it to everybody or to its account. */
type WebPage = 'landing' | 'doi' | 'commons' | 'fabrica';

interface GetOptions {
  /** A file of DOIs. */
  readonly file?: string;
  /** The default is text on a terminal, JSON elsewhere. */
  readonly format?: 'text' | 'json' | 'ndjson' | 'url' | OtherFormat;
  /** Affiliations and publisher as the service stores them, as objects, instead of only their names. */
  readonly affiliation?: boolean;
  readonly style?: string;
  readonly locale?: string;
  /** Opens a page instead; true for the landing page. */
  readonly web?: WebPage | true;
}

/** Prints DOI records, for people or as the service sent them, or opens the web page of one. */
export async function getDoiCommand(
  context: Context,
  named: readonly string[],
  options: GetOptions,
): Promise<void> {
  const { style, locale, web } = options;
  const dois = await differentDois(context, named, options.file);
  const usual =
    context.host.terminal.stdout && !options.affiliation ? 'text' : dois.length > 1 ? 'ndjson' : 'json';
  const { format = usual } = options;
  if (format !== 'citation' && (style ?? locale) !== undefined) {
    throw usageError('--style and --locale are for citations', 'add --format citation');
  }
  if (options.affiliation && !['text', 'json', 'ndjson'].includes(format)) {
    throw usageError('--affiliation is for JSON', 'leave it out: it does not change the other formats');
  }
  const [doi = '', ...others] = dois;
  if (others.length > 0) return getMany(context, dois, format, options);
  if (format === 'url') return printUrl(context, doi);
  const service = await context.service('reads');
  const unlessFound = (error: unknown) => {
    const hint = service.credentials ? undefined : 'Draft and Registered DOIs need credentials';
    throw asNotFound(error, doi, service, hint);
  };
  if (web !== undefined || format === 'text') {
    const found = await getDoi(service, doi).catch(unlessFound);
    if (web === undefined) return printView(context, found);
    return openPage(context, found, web === true ? 'landing' : web);
  }
  const sent = await textOf(context, service, doi, format, options).catch(unlessFound);
  const text = sent.endsWith('\n') ? sent : `${sent}\n`;
  // RIS ends its lines with CR LF, and on a terminal the CR would be shown as a character.
  const shown = context.host.terminal.stdout ? text.replaceAll('\r\n', '\n') : text;
  await context.paged((safe) => safe.write(shown));
}

/** @throws {CliError} kind `usage` when none is named, or both by the command line and a file. */
async function differentDois(
  context: Context,
  named: readonly string[],
  file: string | undefined,
): Promise<readonly string[]> {
  if (file !== undefined && named.length > 0) {
    throw usageError('DOIs on the command line and --file exclude each other', 'write all into the file');
  }
  if (file !== undefined) return (await import('../../records/named-dois.ts')).readDois(context, file);
  if (named.length === 0) throw usageError('name a DOI', 'doi-cli dois get 10.5438/0012');
  return [...new Map(named.map((doi) => [doi.toLowerCase(), doi])).values()];
}

async function getMany(
  context: Context,
  dois: readonly string[],
  format: NonNullable<GetOptions['format']>,
  options: GetOptions,
): Promise<void> {
  if (options.web !== undefined) throw usageError('--web opens one page', 'name one DOI');
  const { getManyDois, requireForMany } = await import('./get-many.ts');
  requireForMany(format);
  const view = format === 'text' ? await viewer(context) : undefined;
  const read = async (service: Service, doi: string): Promise<string> => {
    if (view !== undefined) return view(await getDoi(service, doi));
    if (format === 'url') return urlOf(context, service, doi);
    return textOf(context, service, doi, format as Exclude<typeof format, 'text' | 'url'>, options);
  };
  return getManyDois(context, dois, { format, read });
}

async function viewer(context: Context): Promise<(doi: Doi, look?: Look) => string> {
  const { stdout, columns } = context.host.terminal;
  const [baseUrl, { recordView }] = await Promise.all([context.baseUrl(), import('./record/view.ts')]);
  const width = stdout ? columns || undefined : undefined;
  return (doi, look = context.look) => recordView(doi, { look, width, baseUrl });
}

async function printView(context: Context, doi: Doi): Promise<void> {
  const view = await viewer(context);
  await context.page((look) => view(doi, look));
}

async function textOf(
  context: Context,
  service: Service,
  doi: string,
  format: Exclude<GetOptions['format'], 'text' | 'url' | undefined>,
  options: GetOptions,
): Promise<string> {
  const { affiliation: expanded = false } = options;
  if (format === 'json' || format === 'ndjson') {
    const { text } = await getDoi(service, doi, { expanded });
    return format === 'json' ? indentJson(text) : text;
  }
  if (format === 'datacite-xml') return xmlOf(service, doi);
  if (format === 'citation') return citationOf(context, service, doi, options);
  const text = await getDoiAs(service, doi, format);
  return isJsonFormat(format) ? indentJson(text) : text;
}

/** A citation. The service does not say that it has no such style, and gives APA (service.md, O6). */
async function citationOf(
  context: Context,
  service: Service,
  doi: string,
  { style, locale }: GetOptions,
): Promise<string> {
  const params = Object.entries({ style, locale }).filter((param): param is [string, string] => !!param[1]);
  const text = await getDoiAs(service, doi, 'citation', params);
  if (style !== undefined && style !== 'apa' && text === (await getDoiAs(service, doi, 'citation'))) {
    const given = locale === undefined ? `style '${style}'` : `style '${style}' or locale '${locale}'`;
    context.messages.warn(`this is the citation in APA: the service may not know the ${given}`);
  }
  return text;
}

/** DataCite XML; from the record's own attribute if the service cannot generate it for this record. */
async function xmlOf(service: Service, doi: string): Promise<string> {
  try {
    return await getDoiAs(service, doi, 'datacite-xml');
  } catch (error) {
    if (!(error instanceof CliError) || !['rejected', 'not-found'].includes(error.kind)) throw error;
    const { xml } = (await getDoi(service, doi)).attributes;
    if (typeof xml !== 'string' || xml === '') throw error;
    return Buffer.from(xml, 'base64').toString('utf8');
  }
}

/** Prints the address that a DOI is registered with, alone on a line. */
async function printUrl(context: Context, doi: string): Promise<void> {
  await context.printLine(await urlOf(context, await context.service('reads'), doi));
}

async function urlOf(context: Context, service: Service, doi: string): Promise<string> {
  const url = await registeredUrl(service, doi).catch((thrown: unknown) => {
    const error = toCliError(thrown);
    if (error.status !== 403 || service.credentials === undefined) throw asNotFound(thrown, doi, service);
    const hint = `for a DOI of another account: ${context.suggest('dois', 'get', doi, '--format', 'url', '--anonymous')}`;
    throw error.with({ hint });
  });
  if (url === undefined) throw new CliError('not-found', `${doi} has no address`);
  return url;
}

/** Opens a page of a record in the browser, or prints its address where there is none. */
async function openPage(context: Context, doi: Doi, page: WebPage): Promise<void> {
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
