import type { ByteWriter } from './byte-writer.ts';
import type { Spellings } from './fragments.ts';
import { fraction, mix, pick } from './hash.ts';
import { COUNTS, chance, languageOf, type Source, titleOf, type View } from './source.ts';
import { LANGUAGES } from './vocabulary.ts';

/** Writes the value of one member as JSON text. */
export type Write = (out: ByteWriter, source: Source, view: View) => void;

/** The members of `attributes` in the order of the service. */
export const ATTRIBUTES: readonly (readonly [name: string, write: Write])[] = [
  ['doi', (out, s) => quoted(out, s.doi)],
  ['identifiers', (out, s) => (chance(s, 1) < 0.6 ? identifiers(out, s) : out.ascii('[]'))],
  [
    'creators',
    (out, s, view) =>
      people(out, s, s.fragments.creators, 2, Math.floor(s.wealth * chance(s, 3)) + 1, view),
  ],
  ['titles', titles],
  ['publisher', publisher],
  ['container', (out, s) => (chance(s, 5) < 0.3 ? container(out, s) : out.ascii('{}'))],
  ['publicationYear', (out, s) => out.ascii(String(s.year))],
  [
    'subjects',
    (out, s) => several(out, s, s.fragments.subjects, 6, Math.floor(s.wealth * chance(s, 7) * 2.4)),
  ],
  [
    'contributors',
    (out, s, view) =>
      people(out, s, s.fragments.contributors, 8, chance(s, 9) < 0.08 ? 1 : 0, view),
  ],
  ['dates', dates],
  [
    'language',
    (out, s) =>
      chance(s, 11) < 0.5 ? out.ascii('null') : quoted(out, LANGUAGES[languageOf(s)]?.code),
  ],
  ['types', (out, s) => out.bytes(s.slot.type.json)],
  ['relatedIdentifiers', related],
  ['relatedItems', fixed('[]')],
  ['sizes', (out, s) => out.ascii(chance(s, 14) < 0.1 ? `["${1 + (s.hash % 9000)} Bytes"]` : '[]')],
  ['formats', (out, s) => out.ascii(chance(s, 15) < 0.1 ? '["application/pdf","text/csv"]' : '[]')],
  ['version', (out, s) => out.ascii(chance(s, 16) < 0.15 ? `"v${1 + (s.hash % 4)}.0"` : 'null')],
  [
    'rightsList',
    (out, s) => several(out, s, s.fragments.rights, 17, 1 + Math.floor(chance(s, 18) * 1.9)),
  ],
  ['descriptions', descriptions],
  [
    'geoLocations',
    (out, s) =>
      several(out, s, s.fragments.places, 21, chance(s, 20) < 0.08 ? Math.ceil(s.wealth) : 0),
  ],
  [
    'fundingReferences',
    (out, s) => several(out, s, s.fragments.fundings, 23, chance(s, 22) < 0.1 ? 1 : 0),
  ],
  ['url', url],
  ['contentUrl', fixed('null')],
  ['metadataVersion', (out, s) => out.ascii(String(s.hash % 5))],
  [
    'schemaVersion',
    (out, s) => out.ascii(chance(s, 24) < 0.2 ? 'null' : '"http://datacite.org/schema/kernel-4"'),
  ],
  ['source', (out, s) => out.ascii(pick(['"api"', '"api"', '"mds"', 'null'], chance(s, 25)))],
  ['isActive', (out, s) => out.ascii(s.slot.state === 'findable' ? 'true' : 'false')],
  ['state', (out, s) => quoted(out, s.slot.state)],
  ['reason', fixed('null')],
  ['landingPage', fixed('null')],
  ['viewCount', (out, s) => out.ascii(String(COUNTS.views(s.hash)))],
  ['downloadCount', (out, s) => out.ascii(String(COUNTS.downloads(s.hash)))],
  ['referenceCount', (out, s) => out.ascii(String(mix(s.hash, 29) % 4))],
  ['citationCount', (out, s) => out.ascii(String(COUNTS.citations(s.hash)))],
  ['partCount', fixed('0')],
  ['partOfCount', fixed('0')],
  ['versionCount', (out, s) => out.ascii(String(mix(s.hash, 31) % 2))],
  ['versionOfCount', fixed('0')],
  ['created', (out, s) => quoted(out, s.created)],
  [
    'registered',
    (out, s) => (s.registered === undefined ? out.ascii('null') : quoted(out, s.registered)),
  ],
  // A list has no time here: the search index ignores a text (service.md, P17).
  ['published', (out, s, view) => (view.single ? quoted(out, String(s.year)) : out.ascii('null'))],
  ['updated', (out, s) => quoted(out, s.updated)],
];

/** Members that only `detail` adds, each with the member that follows it. */
export const DETAILS: readonly (readonly [before: string, name: string, write: Write])[] = [
  ['identifiers', 'prefix', (out, s) => quoted(out, s.slot.prefix)],
  ['identifiers', 'suffix', (out, s) => quoted(out, s.doi.slice(s.slot.prefix.length + 1))],
  [
    'creators',
    'alternateIdentifiers',
    (out, s) => (chance(s, 1) < 0.6 ? identifiers(out, s, 'alternateIdentifier') : out.ascii('[]')),
  ],
  ['url', 'xml', fixed('null')],
  ['downloadCount', 'viewsOverTime', (out, s) => overTime(out, s, COUNTS.views(s.hash))],
  ['referenceCount', 'downloadsOverTime', (out, s) => overTime(out, s, COUNTS.downloads(s.hash))],
  ['partCount', 'citationsOverTime', (out, s) => overTime(out, s, COUNTS.citations(s.hash))],
];

function fixed(text: string): Write {
  const bytes = Buffer.from(text);
  return (out) => out.bytes(bytes);
}

function quoted(out: ByteWriter, ascii = ''): void {
  out.ascii('"');
  out.ascii(ascii);
  out.ascii('"');
}

/**
 * `count` consecutive items of a list, from an index that depends on the record, as a JSON array.
 */
function several(
  out: ByteWriter,
  s: Source,
  list: readonly Buffer[],
  salt: number,
  count: number,
): void {
  const start = mix(s.hash, salt);
  out.ascii('[');
  for (let n = 0; n < count; n++) {
    if (n > 0) out.ascii(',');
    out.bytes(at(list, start + n));
  }
  out.ascii(']');
}

function people(
  out: ByteWriter,
  s: Source,
  list: readonly Spellings[],
  salt: number,
  count: number,
  view: View,
): void {
  const start = mix(s.hash, salt);
  out.ascii('[');
  for (let n = 0; n < count; n++) {
    if (n > 0) out.ascii(',');
    const person = at(list, start + n);
    out.bytes(view.affiliation ? person.full : person.plain);
  }
  out.ascii(']');
}

function titles(out: ByteWriter, s: Source): void {
  const { title, number } = titleOf(s);
  out.ascii('[{"title":"');
  out.bytes(title.json);
  out.ascii(` ${number}"}]`);
}

function publisher(out: ByteWriter, s: Source, view: View): void {
  const spellings = s.fragments.publishers.get(s.slot.clientId);
  if (spellings === undefined) throw new RangeError(`no publisher for ${s.slot.clientId}`);
  out.bytes(view.publisher ? spellings.full : spellings.plain);
}

function identifiers(out: ByteWriter, s: Source, name = 'identifier'): void {
  out.ascii(`[{"${name}":"oai:`);
  out.ascii(s.slot.clientId);
  out.ascii(`:${mix(s.hash, 32)}`);
  out.ascii(`","${name}Type":"oai"}]`);
}

function container(out: ByteWriter, s: Source): void {
  out.ascii('{"type":"Series","identifier":"10.11646/zootaxa.');
  out.ascii(`${s.hash % 5000}.1.1`);
  out.ascii('","identifierType":"DOI"}');
}

const MONTH_DAYS = [
  '01-02',
  '02-14',
  '03-31',
  '05-24',
  '07-01',
  '08-19',
  '09-23',
  '11-05',
  '12-31',
];

function dates(out: ByteWriter, s: Source): void {
  out.ascii('[{"date":"');
  out.ascii(`${s.year}-`);
  out.ascii(pick(MONTH_DAYS, chance(s, 10)));
  out.ascii('","dateType":"Issued"}]');
}

const RELATIONS = ['HasVersion', 'IsVersionOf', 'Cites', 'IsPartOf', 'IsSupplementTo'].map(
  (relation) => Buffer.from(`{"relationType":"${relation}","relatedIdentifier":"10.5281/zenodo.`),
);

function related(out: ByteWriter, s: Source): void {
  const count = 1 + Math.floor(s.wealth * fraction(s.hash, 12) * 1.4);
  out.ascii('[');
  for (let n = 0; n < count; n++) {
    if (n > 0) out.ascii(',');
    const number = mix(s.hash, 1000 + n);
    out.bytes(at(RELATIONS, number));
    out.ascii(String(number));
    out.ascii('","relatedIdentifierType":"DOI"}');
  }
  out.ascii(']');
}

function descriptions(out: ByteWriter, s: Source): void {
  const sentences = at(s.fragments.sentences, languageOf(s));
  const count = Math.floor(s.wealth * (1 + fraction(s.hash, 19) * 3));
  out.ascii('[{"description":"');
  // Every sentence is chosen separately: consecutive sentences would compress far better than real
  // text.
  for (let n = 0; n < count; n++) out.bytes(at(sentences, mix(s.hash, 2000 + n)));
  out.ascii('","descriptionType":"Abstract"}]');
}

function url(out: ByteWriter, s: Source): void {
  out.ascii('"');
  out.ascii(s.slot.client.landing);
  out.ascii(s.doi.slice(s.slot.prefix.length + 1));
  out.ascii('"');
}

function overTime(out: ByteWriter, s: Source, total: number): void {
  out.ascii(total === 0 ? '[]' : `[{"yearMonth":"${s.created.slice(0, 7)}","total":${total}}]`);
}

/** The item at an index modulo the length. */
function at<T>(list: readonly T[], place: number): T {
  const item = list[place % list.length];
  if (item === undefined) throw new RangeError('an empty list has no items');
  return item;
}
