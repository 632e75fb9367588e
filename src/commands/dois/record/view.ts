import type { Doi } from '../../../api/dois.ts';
import { webAddressOf } from '../../../cli/base-url.ts';
import { isNonEmptyString, isObject, type JsonObject, listOf, valueAt } from '../../../text/json-values.ts';
import { visible } from '../../../text/redact.ts';
import { counted, number } from '../../../text/words.ts';
import type { Look } from '../../../ui/look.ts';
import { labelled, type Text } from '../../../ui/table.ts';
import { styleOfState } from './table.ts';

/** More are counted, not shown. */
const MOST_ENTRIES = 10;
const MOST_CHARACTERS = 600;
const WIDEST = 100;
const LABEL = 12;

interface ViewOptions {
  readonly look: Look;
  /** The width of the terminal in characters; undefined to break no line. */
  readonly width: number | undefined;
  readonly baseUrl: URL;
}

/**
 * A record for people: what it is, who made it, where it is, and what it is related to. Long lists and texts are
 * shortened, and say so. Its control characters are those of the look only.
 */
export function recordView({ id, attributes }: Doi, options: ViewOptions): string {
  const state = textOf(attributes['state']);
  const address = state === 'draft' ? undefined : webAddressOf(options.baseUrl, id);
  const [title = { text: '(no title)' }, ...otherTitles] = titles(attributes);
  const rows: readonly (readonly [label: string, entries: readonly Text[]])[] = [
    ['', [{ ...title, style: 'bold' }]],
    ['', otherTitles],
    ['DOI', [{ text: id, address }]],
    ['State', state === '' ? [] : [{ text: state, style: styleOfState(state) }]],
    ['Type', entries([typeOf(attributes)])],
    ['Creators', listed(attributes['creators'], person)],
    [
      'Published',
      entries([[publisherOf(attributes), textOf(attributes['publicationYear'])].filter(Boolean).join(', ')]),
    ],
    ['Contributors', listed(attributes['contributors'], person)],
    ['Address', entries([textOf(attributes['url'])]).map((entry) => ({ ...entry, address: entry.text }))],
    ['Dates', listed(attributes['dates'], dated)],
    ['Version', entries([textOf(attributes['version'])])],
    ['Language', entries([textOf(attributes['language'])])],
    ['Subjects', joined(attributes['subjects'], (one) => textOf(one['subject']))],
    ['Related', listed(attributes['relatedIdentifiers'], (one) => related(one, options.baseUrl))],
    ['Funding', listed(attributes['fundingReferences'], funding)],
    ['Rights', listed(attributes['rightsList'], rights)],
    ...objects(attributes['descriptions']).slice(0, MOST_ENTRIES).map(description),
    ['Used', entries([usage(attributes)])],
    ['Record', entries([history(attributes)])],
    ['Cite as', entries([address === undefined ? '' : (citationOf(attributes, address) ?? '')])],
  ];
  return rows.map(([label, lines]) => row(label, lines, options)).join('');
}

/** The lines of one row, its label before the first. */
function row(
  label: string,
  lines: readonly Text[],
  { look, width = Number.POSITIVE_INFINITY }: ViewOptions,
): string {
  const texts = lines.map((line) => ({ ...line, text: clean(line.text) }));
  const labels = label === '' ? [] : [look.paint('dim', label)];
  const widths = label === '' ? [] : [LABEL];
  return labelled(labels, widths, texts, {
    look,
    width: Number.isFinite(width) ? Math.min(width, WIDEST) : width,
  });
}

/** Text of the service on one line, without control characters. */
function clean(text: string): string {
  return visible(text.replace(/\s+/g, ' ').trim());
}

function textOf(value: unknown): string {
  return isNonEmptyString(value) ? value : typeof value === 'number' ? String(value) : '';
}

function objects(value: unknown): readonly JsonObject[] {
  return listOf(value).filter(isObject);
}

function entries(texts: readonly string[]): Text[] {
  return texts.filter((text) => text.trim() !== '').map((text) => ({ text }));
}

/** The first entries of a list, and how many more there are. */
function listed(value: unknown, entry: (one: JsonObject) => Text): Text[] {
  const all = objects(value);
  const shown = all.slice(0, MOST_ENTRIES).map(entry);
  const more = all.length - shown.length;
  return [...shown.filter(({ text }) => text !== ''), ...moreThan(more)];
}

/** The first texts of a list on one line. */
function joined(value: unknown, text: (one: JsonObject) => string): Text[] {
  const all = objects(value).map(text).filter(Boolean);
  const shown = all.slice(0, 2 * MOST_ENTRIES);
  return [...entries([shown.join('; ')]), ...moreThan(all.length - shown.length)];
}

function moreThan(more: number): Text[] {
  return more > 0 ? [{ text: `and ${number(more)} more`, style: 'dim' }] : [];
}

function titles(attributes: JsonObject): Text[] {
  return listed(attributes['titles'], (one) => {
    const type = textOf(one['titleType']);
    return { text: textOf(one['title']) + (type === '' ? '' : ` (${type})`) };
  });
}

function typeOf({ types }: JsonObject): string {
  if (!isObject(types)) return '';
  const [general, own] = [textOf(types['resourceTypeGeneral']), textOf(types['resourceType'])];
  return own === '' || own === general ? general : `${general} (${own})`;
}

function publisherOf({ publisher }: JsonObject): string {
  return textOf(isObject(publisher) ? publisher['name'] : publisher);
}

/** A creator or contributor with ORCID and affiliations. */
function person(one: JsonObject): Text {
  const orcid = objects(one['nameIdentifiers'])
    .filter((each) => textOf(each['nameIdentifierScheme']).toUpperCase() === 'ORCID')
    .map((each) => /(?:\d{4}-){3}\d{3}[\dX]$/i.exec(textOf(each['nameIdentifier']))?.[0])
    .find((id) => id !== undefined);
  const affiliations = Array.isArray(one['affiliation'])
    ? one['affiliation'].map((each: unknown) => textOf(isObject(each) ? each['name'] : each)).filter(Boolean)
    : [];
  const role = textOf(one['contributorType']);
  const name =
    textOf(one['name']) || [textOf(one['familyName']), textOf(one['givenName'])].filter(Boolean).join(', ');
  const parts = [
    name + (role === '' ? '' : ` (${role})`),
    orcid && `ORCID ${orcid}`,
    ...affiliations.slice(0, MOST_ENTRIES),
  ];
  return { text: parts.filter(Boolean).join(', '), address: orcid && `https://orcid.org/${orcid}` };
}

function dated(one: JsonObject): Text {
  const note = textOf(one['dateInformation']);
  return {
    text: `${textOf(one['dateType'])} ${textOf(one['date'])}${note === '' ? '' : ` (${note})`}`.trim(),
  };
}

function related(one: JsonObject, baseUrl: URL): Text {
  const [relation, type] = [textOf(one['relationType']), textOf(one['relatedIdentifierType'])];
  const id = textOf(one['relatedIdentifier']);
  const isDoi = /^10\.\d+(\.\d+)*\//.test(id) && type === 'DOI';
  return {
    text: `${relation} ${id}${type === '' || isDoi || type === 'URL' ? '' : ` (${type})`}`.trim(),
    address: isDoi ? webAddressOf(baseUrl, id) : id,
  };
}

function funding(one: JsonObject): Text {
  const parts = [one['funderName'], one['awardNumber'], one['awardTitle']].map(textOf);
  return { text: parts.filter(Boolean).join(', '), address: textOf(one['awardUri']) };
}

function rights(one: JsonObject): Text {
  const address = textOf(one['rightsUri']);
  return { text: textOf(one['rights']) || textOf(one['rightsIdentifier']) || address, address };
}

function description(one: JsonObject): readonly [string, readonly Text[]] {
  const text = clean(textOf(one['description']).slice(0, 2 * MOST_CHARACTERS));
  const isLong = text.length > MOST_CHARACTERS || textOf(one['description']).length > 2 * MOST_CHARACTERS;
  const shown = isLong ? `${[...text].slice(0, MOST_CHARACTERS).join('')}… (shortened)` : text;
  const type = textOf(one['descriptionType']);
  const label = ['Abstract', 'Methods'].includes(type) ? type : 'Description';
  return [label, entries([shown])];
}

function usage({ citationCount, viewCount, downloadCount }: JsonObject): string {
  const counts = [
    ['citation', citationCount],
    ['view', viewCount],
    ['download', downloadCount],
  ] as const;
  return counts
    .flatMap(([noun, count]) => (typeof count === 'number' && count > 0 ? [counted(count, noun)] : []))
    .join(', ');
}

/** The days of the record's own life. */
function history(attributes: JsonObject): string {
  return ['created', 'registered', 'updated']
    .flatMap((name) => {
      const [day] = /^\d{4}-\d\d-\d\d/.exec(textOf(attributes[name])) ?? [];
      return day === undefined ? [] : [`${name} ${day}`];
    })
    .join(', ');
}

const MOST_NAMES = 10;

/**
 * A citation in the form that DataCite recommends: `Creators (Year). Title. Version. Publisher. Type. Address`.
 * @returns undefined unless the record has all that a citation needs.
 */
export function citationOf(attributes: JsonObject, address: string): string | undefined {
  const { creators, titles, publicationYear: year, publisher, types, version } = attributes;
  const names = listOf(creators).map((creator) => valueAt(creator, ['name']));
  const title = valueAt(titles, [0, 'title']);
  const from = isNonEmptyString(publisher) ? publisher : valueAt(publisher, ['name']);
  const isComplete = names.length > 0 && names.every(isKnown) && isKnown(title) && isKnown(from) && !!year;
  if (!isComplete) return undefined;
  const by = names.slice(0, MOST_NAMES).join('; ') + (names.length > MOST_NAMES ? '; et al.' : '');
  const type = valueAt(types, ['resourceTypeGeneral']);
  const edition = isNonEmptyString(version) ? `Version ${version}` : undefined;
  const parts = [`${by} (${String(year)})`, title, edition, from, type, address];
  return parts.filter(isNonEmptyString).map(withoutStop).join('. ');
}

/** Codes such as `:unav` stand for what is not known. */
function isKnown(value: unknown): value is string {
  return isNonEmptyString(value) && !/^\s*(:|$)/.test(value);
}

function withoutStop(text: string): string {
  return text.trim().replace(/\.$/, '');
}
