import { CliError } from '../errors.ts';
import { isNonEmptyString } from '../text/json-values.ts';
import { doiPath } from './dois.ts';
import { BadBody, MAX_SMALL_BYTES, parseJson, readJson, readText } from './http/body.ts';
import type { HttpService } from './service.ts';

/** Other formats of a record, with the media types for content negotiation (service.md, O3). */
const MEDIA_TYPES = {
  bibtex: 'application/x-bibtex',
  ris: 'application/x-research-info-systems',
  citation: 'text/x-bibliography',
  'datacite-xml': 'application/vnd.datacite.datacite+xml',
  'datacite-json': 'application/vnd.datacite.datacite+json',
  citeproc: 'application/vnd.citationstyles.csl+json',
  'schema-org': 'application/vnd.schemaorg.ld+json',
  codemeta: 'application/vnd.codemeta.ld+json',
  crosscite: 'application/vnd.crosscite.crosscite+json',
  jats: 'application/vnd.jats+xml',
  csv: 'text/csv',
} as const;
export type OtherFormat = keyof typeof MEDIA_TYPES;

export function isJsonFormat(format: OtherFormat): boolean {
  return MEDIA_TYPES[format].endsWith('json');
}

/**
 * Reads one DOI record in another format, as text. @param params for a citation: `style` (CSL) and
 * `locale`.
 * @throws {CliError} as `getDoi`; kind `rejected` also if the service does not offer the format.
 */
export function getDoiAs(
  { http }: HttpService,
  doi: string,
  format: OtherFormat,
  params: Iterable<readonly [string, string]> = [],
): Promise<string> {
  return http.call({
    method: 'GET',
    probesNotFound: true,
    url: http.url(doiPath(doi), params),
    accept: MEDIA_TYPES[format],
    read: async (response) => {
      if (response.status === 204)
        throw new CliError('rejected', `the service has no metadata of ${doi} as ${format}`);
      const type = response.header('content-type')?.split(';')[0]?.trim() ?? '';
      const text = await readText(response);
      // A service that does not know the format may answer with its own JSON.
      const isOther = isJsonFormat(format) ? /^application\/(vnd\.api\+)?json$/i : /json$/i;
      if (isOther.test(type))
        throw new CliError('rejected', `the service does not offer ${format}`);
      if (text.trim() === '') throw new BadBody('the answer is empty');
      if (isJsonFormat(format)) parseJson(text);
      return text;
    },
  });
}

/** The address of a DOI of the account; undefined for a Draft without one (service.md, O5). */
export function registeredUrl({ http }: HttpService, doi: string): Promise<string | undefined> {
  return http.call({
    method: 'GET',
    probesNotFound: true,
    url: http.url(`${doiPath(doi)}/get-url`),
    read: async (response) => {
      if (response.status === 204) return undefined;
      const { url } = await readJson(response, MAX_SMALL_BYTES);
      if (isNonEmptyString(url)) return url;
      throw new BadBody('the answer contains no address');
    },
  });
}
