import type { Doi } from '../../../api/dois.ts';
import { webAddressOf } from '../../../api/service.ts';
import { orcidOf } from '../../../metadata/tables/values.ts';
import {
  isNonEmptyString,
  type JsonObject,
  listOf,
  objectsOf,
  valueAt,
} from '../../../text/json-values.ts';
import { visible } from '../../../text/redact.ts';
import { counted, number } from '../../../text/words.ts';
import type { Look } from '../../../ui/look.ts';
import { labelled, type Text } from '../../../ui/table.ts';
import { styleOfState } from './state-style.ts';

/** More entries are only counted. */
const MOST_ENTRIES = 10;
const MOST_CHARACTERS = 600;
const WIDEST = 100;
const LABEL = 12;

interface ViewOptions {
  readonly look: Look;
  readonly width: number | undefined;
  readonly baseUrl: URL;
}

/**
 * A record for people: what it is, who made it, where it is, and what it is related to. Long lists
 * and texts are shortened, and say so. Text of the service has no control characters.
 */
export function recordView({ id, attributes }: Doi, options: ViewOptions): string {
  const { baseUrl } = options;
  const text = (name: string) => textAt(attributes, name);
  const state = text('state');
  const address = state === 'draft' ? undefined : webAddressOf(baseUrl, id);
  const [title = { text: '(no title)' }, ...otherTitles] = listed(attributes['titles'], titled);
  const citation = address === undefined ? undefined : citationOf(attributes, address);
  const rows: readonly (readonly [label: string, texts: readonly Text[]])[] = [
    ['', [{ ...title, style: 'bold' }]],
    ['', otherTitles],
    ['DOI', [{ text: id }]],
    ['State', [{ text: state, style: styleOfState(state) }]],
    ['Type', [{ text: typeOf(attributes) }]],
    ['Creators', listed(attributes['creators'], person)],
    ['Published', [{ text: join(', ', nameIn(attributes['publisher']), text('publicationYear')) }]],
    ['Contributors', listed(attributes['contributors'], person)],
    ['Address', [{ text: text('url') }]],
    ['Dates', listed(attributes['dates'], dated)],
    ['Version', [{ text: text('version') }]],
    ['Language', [{ text: text('language') }]],
    ['Subjects', subjects(attributes)],
    ['Related', listed(attributes['relatedIdentifiers'], related)],
    ['Funding', listed(attributes['fundingReferences'], funded)],
    ['Rights', listed(attributes['rightsList'], licensed)],
    ...objectsOf(attributes['descriptions']).slice(0, MOST_ENTRIES).map(description),
    ['Used', [{ text: usage(attributes) }]],
    ['Record', [{ text: history(attributes) }]],
    ['Cite as', [{ text: citation ?? '' }]],
  ];
  return rows.map(([label, texts]) => row(label, texts, options)).join('');
}

/** The lines of one row, its label before the first; empty without any text. */
function row(
  label: string,
  texts: readonly Text[],
  { look, width = Number.POSITIVE_INFINITY }: ViewOptions,
): string {
  const shown = texts
    .map((entry) => ({ ...entry, text: clean(entry.text) }))
    .filter(({ text }) => text !== '');
  const [labels, widths] = label === '' ? [[], []] : [[look.paint('dim', label)], [LABEL]];
  return labelled(labels, widths, shown, {
    look,
    width: Number.isFinite(width) ? Math.min(width, WIDEST) : width,
  });
}

function clean(text: string): string {
  return visible(text.replace(/\s+/g, ' ').trim());
}

function textAt(value: unknown, ...path: readonly string[]): string {
  const target = valueAt(value, path);
  if (typeof target === 'number') return String(target);
  return isNonEmptyString(target) ? target : '';
}

/** The name of a publisher or an affiliation, which is a text or an object. */
const nameIn = (value: unknown): string => textAt(value, 'name') || textAt(value);

function join(separator: string, ...texts: readonly (string | undefined)[]): string {
  return texts.filter(Boolean).join(separator);
}

const withNote = (text: string, note: string): string => join(' ', text, note && `(${note})`);

/** The first objects of a list, and the number of further ones. */
function listed(value: unknown, entry: (item: JsonObject) => Text): Text[] {
  const all = objectsOf(value);
  return [...all.slice(0, MOST_ENTRIES).map(entry), ...moreThan(all.length - MOST_ENTRIES)];
}

function moreThan(more: number): Text[] {
  return more > 0 ? [{ text: `and ${number(more)} more`, style: 'dim' }] : [];
}

function typeOf({ types }: JsonObject): string {
  const [general, specific] = [textAt(types, 'resourceTypeGeneral'), textAt(types, 'resourceType')];
  return general === '' || specific === general ? specific : withNote(general, specific);
}

const titled = (item: JsonObject): Text => ({
  text: withNote(textAt(item, 'title'), textAt(item, 'titleType')),
});

function person(item: JsonObject): Text {
  const orcid = orcidOf(item);
  const affiliations = listOf(item['affiliation'])
    .map(nameIn)
    .filter(Boolean)
    .slice(0, MOST_ENTRIES);
  const name =
    textAt(item, 'name') || join(', ', textAt(item, 'familyName'), textAt(item, 'givenName'));
  return {
    text: join(
      ', ',
      withNote(name, textAt(item, 'contributorType')),
      orcid && `ORCID ${orcid}`,
      ...affiliations,
    ),
  };
}

const dated = (item: JsonObject): Text => ({
  text: withNote(
    `${textAt(item, 'dateType')} ${textAt(item, 'date')}`.trim(),
    textAt(item, 'dateInformation'),
  ),
});

function subjects(attributes: JsonObject): Text[] {
  const all = objectsOf(attributes['subjects'])
    .map((item) => textAt(item, 'subject'))
    .filter(Boolean);
  const shown = all.slice(0, 2 * MOST_ENTRIES);
  return [{ text: shown.join('; ') }, ...moreThan(all.length - shown.length)];
}

function related(item: JsonObject): Text {
  const [id, type] = [textAt(item, 'relatedIdentifier'), textAt(item, 'relatedIdentifierType')];
  const isDoi = /^10\.\d+(\.\d+)*\//.test(id) && type === 'DOI';
  return {
    text: withNote(
      join(' ', textAt(item, 'relationType'), id),
      isDoi || type === 'URL' ? '' : type,
    ),
  };
}

const funded = (item: JsonObject): Text => ({
  text: join(
    ', ',
    textAt(item, 'funderName'),
    textAt(item, 'awardNumber'),
    textAt(item, 'awardTitle'),
  ),
});

const licensed = (item: JsonObject): Text => ({
  text: textAt(item, 'rights') || textAt(item, 'rightsIdentifier') || textAt(item, 'rightsUri'),
});

function description(item: JsonObject): readonly [string, readonly Text[]] {
  const whole = textAt(item, 'description');
  const text = clean(whole.slice(0, 2 * MOST_CHARACTERS));
  const isLong = text.length > MOST_CHARACTERS || whole.length > 2 * MOST_CHARACTERS;
  const shown = isLong ? `${[...text].slice(0, MOST_CHARACTERS).join('')}… (shortened)` : text;
  const type = textAt(item, 'descriptionType');
  return [['Abstract', 'Methods'].includes(type) ? type : 'Description', [{ text: shown }]];
}

function usage(attributes: JsonObject): string {
  const counts = ['citation', 'view', 'download'].map((noun) => {
    const count = Number(textAt(attributes, `${noun}Count`));
    return count > 0 ? counted(count, noun) : '';
  });
  return join(', ', ...counts);
}

function history(attributes: JsonObject): string {
  const days = ['created', 'registered', 'updated'].map((name) => {
    const [day] = /^\d{4}-\d\d-\d\d/.exec(textAt(attributes, name)) ?? [];
    return day && `${name} ${day}`;
  });
  return join(', ', ...days);
}

const MOST_NAMES = 10;

/**
 * A citation in the form that DataCite recommends: `Creators (Year). Title. Version. Publisher.
 * Type. Address`.
 * @returns undefined unless the record has all that a citation needs.
 */
export function citationOf(attributes: JsonObject, address: string): string | undefined {
  const { creators, titles, publicationYear: year, publisher, types, version } = attributes;
  const names = listOf(creators).map((creator) => valueAt(creator, ['name']));
  const [title, from] = [valueAt(titles, [0, 'title']), nameIn(publisher)];
  const isComplete =
    names.length > 0 && names.every(isKnown) && isKnown(title) && isKnown(from) && !!year;
  if (!isComplete) return undefined;
  const by = names.slice(0, MOST_NAMES).join('; ') + (names.length > MOST_NAMES ? '; et al.' : '');
  const type = valueAt(types, ['resourceTypeGeneral']);
  const edition = isNonEmptyString(version) ? `Version ${version}` : undefined;
  const parts = [`${by} (${String(year)})`, title, edition, from, type, address];
  // A part may already end with a full stop.
  return parts
    .filter(isNonEmptyString)
    .map((part) => part.trim().replace(/\.$/, ''))
    .join('. ');
}

/** Whether a value is known: codes such as `:unav` stand for unknown values. */
function isKnown(value: unknown): value is string {
  return isNonEmptyString(value) && !/^\s*(:|$)/.test(value);
}
