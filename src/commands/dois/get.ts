import { getDoiAs, isJsonFormat, type OtherFormat } from '../../api/doi-formats.ts';
import { getDoi } from '../../api/dois.ts';
import type { Service } from '../../api/service.ts';
import type { Context } from '../../cli/context.ts';
import { CliError, usageError } from '../../errors.ts';
import { indentJson } from '../../text/json-text.ts';
import { asNotFound } from './record/existing-doi.ts';

interface GetOptions {
  readonly format: 'json' | 'ndjson' | OtherFormat;
  /** Affiliations and publisher as the service stores them, as objects, instead of only their names. */
  readonly affiliation?: boolean;
  readonly style?: string;
  readonly locale?: string;
}

/**
 * Prints one DOI record as the service sent it.
 * @throws {CliError} kind `not-found`, also for a Draft or Registered DOI that the credentials may not read.
 */
export async function getDoiCommand(context: Context, doi: string, options: GetOptions): Promise<void> {
  const { format, style, locale } = options;
  if (format !== 'citation' && (style ?? locale) !== undefined) {
    throw usageError('--style and --locale are for citations', 'add --format citation');
  }
  if (options.affiliation && format !== 'json' && format !== 'ndjson') {
    throw usageError('--affiliation is for JSON', 'leave it out: it does not change the other formats');
  }
  const service = await context.service('reads');
  try {
    const sent = await textOf(context, service, doi, options);
    const text = sent.endsWith('\n') ? sent : `${sent}\n`;
    // RIS ends its lines with CR LF, and on a terminal the CR would be shown as a character.
    await context.out.write(context.host.terminal.stdout ? text.replaceAll('\r\n', '\n') : text);
  } catch (error) {
    const anonymous = service.credentials === undefined;
    const hint = anonymous ? 'Draft and Registered DOIs need credentials' : undefined;
    throw asNotFound(error, doi, anonymous ? 'anonymous readers' : 'these credentials', hint);
  }
}

async function textOf(context: Context, service: Service, doi: string, options: GetOptions): Promise<string> {
  const { format, affiliation: expanded = false } = options;
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
