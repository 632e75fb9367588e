import { citation } from '../records/metadata/citations.ts';
import { crosscite, dataciteJson } from '../records/metadata/datacite-json.ts';
import {
  bibtex,
  CSV_HEADER,
  citeproc,
  codemeta,
  csv,
  ris,
  schemaOrg,
  type Writer,
} from '../records/metadata/formats.ts';
import { jats } from '../records/metadata/jats.ts';
import type { Item } from '../records/metadata/values.ts';
import { dataciteXml } from '../records/metadata/write-xml.ts';

/** The formats of the service (service.md, O3). */
const FORMATS: Readonly<Record<string, Writer>> = {
  'application/x-bibtex': bibtex,
  'application/x-research-info-systems': ris,
  'application/vnd.datacite.datacite+xml': dataciteXml,
  'application/x-datacite+xml': dataciteXml,
  'application/vnd.datacite.datacite+json': dataciteJson,
  'application/vnd.crosscite.crosscite+json': crosscite,
  'application/vnd.schemaorg.ld+json': schemaOrg,
  'application/ld+json': schemaOrg,
  'application/vnd.citationstyles.csl+json': citeproc,
  'application/citeproc+json': citeproc,
  'application/vnd.codemeta.ld+json': codemeta,
  'application/vnd.jats+xml': jats,
  'text/csv': csv,
};

const CITATION = 'text/x-bibliography';
const JSON_TYPES = [
  'application/vnd.api+json',
  'application/json',
  'text/x-json',
  'text/html',
  '*/*',
];

/**
 * `/dois/<media type>/<doi>` and `/<media type>/<doi>` also request a format; without DOI, of a
 * list.
 */
export const MEDIA_TYPE_PATH =
  /^(?:\/dois)?\/(?<type>(?:application|text)\/[\w.+-]+)(?:\/(?<doi>.+))?$/;

/**
 * The media type that an Accept header prefers: another format, `json`, or undefined when it is
 * unknown.
 */
export function wantedType(accept: string | undefined): string | undefined {
  const offers = (accept || '*/*').split(',').map((offer) => {
    const [type = '', ...parameters] = offer.split(';').map((part) => part.trim().toLowerCase());
    const quality = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2);
    return { type, quality: quality === undefined ? 1 : Number(quality) };
  });
  const ranked = offers.filter(({ quality }) => quality > 0).sort((a, b) => b.quality - a.quality);
  for (const { type } of ranked) {
    if (JSON_TYPES.includes(type)) return 'json';
    if (type === CITATION || Object.hasOwn(FORMATS, type)) return type;
  }
  return undefined;
}

/**
 * A record in another format; undefined for a media type without one.
 *
 * @param style of a citation
 */
export function formatted(type: string, attributes: Item, style = 'apa'): string | undefined {
  return type === CITATION ? citation(attributes, style) : FORMATS[type]?.(attributes);
}

/** A list in another format than JSON:API, of its records in that format. */
export function joined(type: string, records: readonly string[]): string {
  if (type === 'text/csv')
    return [CSV_HEADER, ...records.map((text) => text.split('\n').slice(1).join('\n'))].join('\n');
  if (type.endsWith('json')) return `[\n${records.join(',\n')}\n]`;
  return records.join(type === CITATION || type.endsWith('systems') ? '\n\n' : '\n');
}
