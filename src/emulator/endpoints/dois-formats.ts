import { isObject } from '../http/json-body.ts';
import { dataciteXml } from './datacite-xml.ts';

type Attributes = Readonly<Record<string, unknown>>;

/** Some of the formats of the service (service.md, O3). */
const FORMATS: Readonly<Record<string, (attributes: Attributes) => string>> = {
  'application/x-bibtex': bibtex,
  'application/x-research-info-systems': ris,
  'text/x-bibliography': citation,
  'application/vnd.datacite.datacite+xml': dataciteXml,
  'application/x-datacite+xml': dataciteXml,
};

const JSON_TYPES = ['application/vnd.api+json', 'application/json', 'text/x-json', 'text/html', '*/*'];

/** `/dois/<media type>/<doi>`, another way to ask for a format. */
export const MEDIA_TYPE_PATH = /^\/dois\/(?<type>(?:application|text)\/[\w.+-]+)\/(?<doi>.+)$/;

/** The media type that an Accept header prefers: another format, `json`, or undefined when it is unknown. */
export function wantedType(accept: string | undefined): string | undefined {
  const offers = (accept || '*/*').split(',').map((offer) => {
    const [type = '', ...parameters] = offer.split(';').map((part) => part.trim().toLowerCase());
    const quality = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2);
    return { type, quality: quality === undefined ? 1 : Number(quality) };
  });
  const ranked = offers.filter(({ quality }) => quality > 0).sort((a, b) => b.quality - a.quality);
  for (const { type } of ranked) {
    if (JSON_TYPES.includes(type)) return 'json';
    if (Object.hasOwn(FORMATS, type)) return type;
  }
  return undefined;
}

/** A record in another format; undefined for a media type without one. */
export function formatted(type: string, attributes: Attributes): string | undefined {
  return FORMATS[type]?.(attributes);
}

function bibtex(a: Attributes): string {
  const { doi, title, authors, publisher, year, url, types, subjects } = partsOf(a);
  const fields = [
    ['doi', doi.toUpperCase()],
    ['url', url],
    ['author', authors.join(' and ')],
    ['keywords', subjects.join(', ')],
    ['title', title],
    ['publisher', publisher],
    ['year', year],
  ].filter(([, value]) => value !== '');
  const lines = fields.map(([name, value]) => `  ${name} = {${value}}`);
  return `@${String(types['bibtex'] ?? 'misc')}{https://doi.org/${doi},\n${lines.join(',\n')}\n}\n`;
}

function ris(a: Attributes): string {
  const { doi, title, authors, publisher, year, url, types, subjects } = partsOf(a);
  const lines = [
    ['TY', String(types['ris'] ?? 'GEN')],
    ['T1', title],
    ...authors.map((author) => ['AU', author]),
    ['DO', doi],
    ['UR', url],
    ...subjects.map((subject) => ['KW', subject]),
    ['PY', year],
    ['PB', publisher],
  ].filter(([, value]) => value !== '');
  return [...lines.map(([tag, value]) => `${tag}  - ${value}`), 'ER  - ', ''].join('\r\n');
}

/** The APA style, the service's default; it writes the title as HTML. */
function citation(a: Attributes): string {
  const { doi, title, authors, publisher, year, types } = partsOf(a);
  const short = authors.map((author) => {
    const [family = '', given = ''] = author.split(', ');
    return given === ''
      ? family
      : `${family}, ${given
          .split(/[\s-]+/)
          .map((name) => `${name[0]}.`)
          .join(' ')}`;
  });
  const last = short.at(-1) ?? '';
  const names = short.length < 2 ? last : `${short.slice(0, -1).join(', ')}, &amp; ${last}`;
  const general = types['resourceTypeGeneral'];
  const kind = general === 'Dataset' ? ' [Data set]' : general === 'Software' ? ' [Computer software]' : '';
  return `${names === '' ? '' : `${names} `}(${year || 'n.d.'}). <i>${title}</i>${kind}. ${publisher}. https://doi.org/${doi.toUpperCase()}`;
}

function partsOf(a: Attributes) {
  const list = (name: string) => {
    const value = a[name];
    return (Array.isArray(value) ? value : []).filter(isObject);
  };
  const text = (value: unknown) => (value === undefined || value === null ? '' : String(value));
  const { publisher } = a;
  return {
    doi: text(a['doi']),
    title: text(list('titles')[0]?.['title']),
    authors: list('creators').map((creator) => text(creator['name'])),
    subjects: list('subjects').map((subject) => text(subject['subject'])),
    publisher: text(isObject(publisher) ? publisher['name'] : publisher),
    year: text(a['publicationYear']),
    url: text(a['url']),
    types: isObject(a['types']) ? a['types'] : {},
  };
}
