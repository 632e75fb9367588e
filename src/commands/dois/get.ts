import { getDoiAs, isJsonFormat, type OtherFormat } from '../../api/doi-formats.ts';
import { asNotFound, type Doi, getDoi } from '../../api/dois.ts';
import type { Service } from '../../api/service.ts';
import type { Context } from '../../cli/context.ts';
import { CliError, usageError } from '../../errors.ts';
import { indentJson } from '../../text/json.ts';
import type { WebPage } from './web-page.ts';

interface GetOptions {
  /** The default is text on a terminal, JSON elsewhere. */
  readonly format?: 'text' | 'json' | 'ndjson' | 'url' | OtherFormat;
  /** Affiliations and publisher as the service stores them, as objects, instead of only their names. */
  readonly affiliation?: boolean;
  readonly style?: string;
  readonly locale?: string;
  /** Opens a page instead; true for the landing page. */
  readonly web?: WebPage | true;
}

/**
 * Prints one DOI record, for people or as the service sent it, or opens its web page.
 * @throws {CliError} kind `not-found`, also for a Draft or Registered DOI that the credentials may not read.
 */
export async function getDoiCommand(context: Context, doi: string, options: GetOptions): Promise<void> {
  const { style, locale, web } = options;
  const usual = context.host.terminal.stdout && !options.affiliation ? 'text' : 'json';
  const { format = usual } = options;
  if (format !== 'citation' && (style ?? locale) !== undefined) {
    throw usageError('--style and --locale are for citations', 'add --format citation');
  }
  if (options.affiliation && !['text', 'json', 'ndjson'].includes(format)) {
    throw usageError('--affiliation is for JSON', 'leave it out: it does not change the other formats');
  }
  if (web !== undefined && options.format !== undefined) {
    throw usageError('--web opens a page and prints no record', 'leave out --web or --format');
  }
  if (format === 'url') {
    const { urlCommand } = await import('./url.ts');
    return urlCommand(context, doi, { format: 'text' });
  }
  const service = await context.service('reads');
  const unlessFound = (error: unknown) => {
    const hint = service.credentials ? undefined : 'Draft and Registered DOIs need credentials';
    throw asNotFound(error, doi, service, hint);
  };
  if (web !== undefined) {
    const { openPage } = await import('./web-page.ts');
    return openPage(context, await getDoi(service, doi).catch(unlessFound), web === true ? 'landing' : web);
  }
  if (format === 'text') return printView(context, await getDoi(service, doi).catch(unlessFound));
  const sent = await textOf(context, service, doi, format, options).catch(unlessFound);
  const text = sent.endsWith('\n') ? sent : `${sent}\n`;
  // RIS ends its lines with CR LF, and on a terminal the CR would be shown as a character.
  const shown = context.host.terminal.stdout ? text.replaceAll('\r\n', '\n') : text;
  await context.paged((safe) => safe.write(shown));
}

async function printView(context: Context, doi: Doi): Promise<void> {
  const { stdout, columns } = context.host.terminal;
  const [baseUrl, { recordView }] = await Promise.all([context.baseUrl(), import('./record/view.ts')]);
  await context.page((look) =>
    recordView(doi, { look, width: stdout ? columns || undefined : undefined, baseUrl }),
  );
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
