import { CliError } from '../errors.ts';
import { readText } from './http/body.ts';
import type { Call } from './http/call.ts';
import type { Http } from './http/http.ts';

/** The parts of a DOI in MDS: its URL, its XML metadata, and files in other media types. */
export type MdsResource = 'doi' | 'metadata' | 'media';

const TEXT = 'text/plain;charset=UTF-8';
const XML = 'application/xml;charset=UTF-8';

/**
 * The text of a resource as MDS sent it; undefined if the DOI exists without it, which MDS answers
 * with 204 (service.md, M9).
 * @param doi if omitted, the resource `doi` is the list of DOIs (service.md, M10), undefined if
 *   empty.
 */
export function getText(
  http: Http,
  resource: MdsResource,
  doi?: string,
): Promise<string | undefined> {
  return http.call({
    method: 'GET',
    url: http.url(path(resource, doi)),
    accept: resource === 'metadata' ? 'application/xml' : 'text/plain',
    errorMessage,
    read: async (response) => {
      const text = await readText(response);
      return response.status === 204 || text.trim() === '' ? undefined : text;
    },
  });
}

/**
 * Sets the URL of a DOI that has metadata, which makes it Findable (service.md, M3). @param url
 * without line breaks.
 */
export function putUrl(http: Http, doi: string, url: string): Promise<string> {
  const body = `doi=${escaped(doi)}\nurl=${escaped(url)}`;
  return write(http, 'PUT', path('doi', doi), { body, contentType: TEXT, idempotent: true });
}

/** Escapes `+` and `%`, which MDS decodes as in a form (service.md, M4). */
function escaped(text: string): string {
  return text.replace(/[%+]/g, encodeURIComponent);
}

/**
 * Registers metadata. With a prefix it creates a random DOI (service.md, M6), and is never
 * repeated.
 * @param name a DOI, a prefix, or undefined for the DOI in the XML.
 * @throws {CliError} kind `unexpected` if the answer contains another DOI.
 */
export async function sendMetadata(
  http: Http,
  name: string | undefined,
  xml: string,
): Promise<string> {
  const content = { body: xml, contentType: XML };
  if (name === undefined) return write(http, 'POST', '/metadata', content);
  const isDoi = name.includes('/');
  const answer = await write(http, 'PUT', path('metadata', name), {
    ...content,
    idempotent: isDoi,
  });
  const made = /^\s*OK\s*\((.*)\)\s*$/s.exec(answer)?.[1]?.trim().toLowerCase();
  const asked = name.toLowerCase();
  if (made === undefined || (isDoi ? made === asked : made.startsWith(`${asked}/`))) return answer;
  const relation = isDoi ? 'not' : 'which is not below';
  const message = `MDS answered with another DOI, ${made}, ${relation} ${name}`;
  throw new CliError('unexpected', `${message}; its metadata may have been registered`);
}

/** Moves a Findable DOI to the Registered state (service.md, M7). */
export function hideMetadata(http: Http, doi: string): Promise<string> {
  return write(http, 'DELETE', path('metadata', doi));
}

/**
 * Adds a media type with its URL, which MDS cuts off at `=` (service.md, M8). A repeat adds another
 * entry.
 */
export function addMedia(http: Http, doi: string, type: string, url: string): Promise<string> {
  return write(http, 'POST', path('media', doi), { body: `${type}=${url}`, contentType: TEXT });
}

/**
 * Sends a write. An answer without OK is an error: MDS also sends 200 when it did nothing
 * (service.md, M3, M7).
 */
function write(
  http: Http,
  method: Call<string>['method'],
  path: string,
  content: Pick<Call<string>, 'body' | 'contentType' | 'idempotent'> = {},
): Promise<string> {
  return http.call({
    method,
    url: http.url(path),
    accept: 'text/plain',
    ...content,
    uninterruptible: true,
    errorMessage,
    read: async (response) => {
      const text = (await readText(response)).trim();
      if (/^OK\b/.test(text)) return text;
      const { status } = response;
      const message = `MDS did not answer OK, but ${text || 'nothing'} (HTTP ${status})`;
      throw new CliError('rejected', message, { status });
    },
  });
}

/** MDS sends errors as plain text (service.md, M1); HTML comes from proxies in front of it. */
function errorMessage(text: string): string | undefined {
  return text.trim() === '' || /^\s*[<{]/.test(text) ? undefined : text.trim();
}

/** The DOI as one segment, so that a suffix of dots or slashes cannot lead elsewhere. */
function path(resource: MdsResource, doi?: string): string {
  return doi === undefined ? `/${resource}` : `/${resource}/${encodeURIComponent(doi)}`;
}
