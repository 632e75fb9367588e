import {
  getDoiAs,
  isJsonFormat,
  type OtherFormat,
  registeredUrl,
} from '../../../api/doi-formats.ts';
import { getDoi } from '../../../api/dois.ts';
import type { Service } from '../../../api/service.ts';
import type { Context } from '../../../cli/context.ts';
import { CliError, toCliError } from '../../../errors.ts';
import { indentJson } from '../../../text/json.ts';
import { visible } from '../../../text/redact.ts';
import { Look } from '../../../ui/look.ts';

export type RecordFormat = 'text' | 'json' | 'ndjson' | 'url' | OtherFormat;

/** The text of one DOI. @throws {CliError} kind `not-found` when there is no such DOI. */
export type Read = (doi: string) => Promise<string>;

interface CitationOptions {
  readonly style?: string;
  readonly locale?: string;
}

/** Where records go: to stdout, through a pager if they are long, or to the file of `--out`. */
export interface Output {
  readonly isFile: boolean;
  readonly onScreen: boolean;
  readonly print: Context['paged'];
}

/**
 * Makes a function that reads a DOI in a format. Terminals get their own line ends: RIS has others.
 */
export async function readerOf(
  context: Context,
  service: Service,
  format: RecordFormat,
  options: CitationOptions,
  { isFile, onScreen }: Output,
): Promise<Read> {
  const readJson = async (doi: string): Promise<string> => {
    const { text } = await getDoi(service, doi);
    return format === 'json' ? indentJson(text) : text;
  };
  switch (format) {
    case 'json':
    case 'ndjson':
      return readJson;
    case 'text': {
      const [baseUrl, { recordView }] = await Promise.all([
        context.services.baseUrl(),
        import('./view.ts'),
      ]);
      const view = {
        look: isFile ? new Look() : context.look,
        width: onScreen ? context.host.terminal.columns || undefined : undefined,
        baseUrl,
      };
      return async (doi) => recordView(await getDoi(service, doi), view);
    }
    case 'url':
      return async (doi) => {
        const url = await urlOf(service, doi);
        return onScreen ? visible(url) : url;
      };
    case 'datacite-xml':
      return (doi) => xmlOf(service, doi);
    case 'citation': {
      const citation = citationsOf(context, service, options);
      return onScreen ? async (doi) => textOfHtml(await citation(doi)) : citation;
    }
    default:
      return async (doi) => {
        const text = await getDoiAs(service, doi, format);
        if (isJsonFormat(format)) return indentJson(text);
        return onScreen ? text.replaceAll('\r\n', '\n') : text;
      };
  }
}

/**
 * Reads citations. For an unknown style the service answers in APA without saying so (service.md,
 * O6): the first citation is compared with one in APA.
 */
function citationsOf(context: Context, service: Service, { style, locale }: CitationOptions): Read {
  const params = Object.entries({ style, locale }).filter(
    (param): param is [string, string] => !!param[1],
  );
  let isKnown = style === undefined || style === 'apa';
  return async (doi) => {
    const text = await getDoiAs(service, doi, 'citation', params);
    if (isKnown) return text;
    isKnown = true;
    if (text === (await getDoiAs(service, doi, 'citation'))) {
      const unknown =
        locale === undefined ? `style '${style}'` : `style '${style}' or locale '${locale}'`;
      context.messages.warn(`this is the citation in APA: the service may not know the ${unknown}`);
    }
    return text;
  };
}

/** A citation without the tags of citeproc's HTML (service.md, O6), for a terminal. */
function textOfHtml(html: string): string {
  const text = html.replace(/<\/?(?:i|b|em|strong|sub|sup|span|div)(?: [^<>]*)?>/g, '');
  return text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');
}

/** DataCite XML, or the XML in the record if the service cannot generate it. */
async function xmlOf(service: Service, doi: string): Promise<string> {
  try {
    return await getDoiAs(service, doi, 'datacite-xml');
  } catch (error) {
    if (!(error instanceof CliError) || !['rejected', 'not-found'].includes(error.kind))
      throw error;
    const { xml } = (await getDoi(service, doi)).attributes;
    if (typeof xml !== 'string' || xml === '') throw error;
    return Buffer.from(xml, 'base64').toString('utf8');
  }
}

async function urlOf(service: Service, doi: string): Promise<string> {
  const url = await registeredUrl(service, doi).catch(async (error: unknown) => {
    if (toCliError(error).status !== 403) throw error;
    // The service tells an account only the addresses of its own DOIs; the record names it as well.
    const { url: inRecord } = (await getDoi(service, doi)).attributes;
    return typeof inRecord === 'string' && inRecord !== '' ? inRecord : undefined;
  });
  if (url === undefined) throw new CliError('not-found', `${doi} has no address`);
  return url;
}
