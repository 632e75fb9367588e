import { LISTS } from './vocabulary.ts';
import { type Element, kernelOf } from './xml.ts';

/** What the XML schema asks of one element. */
interface Rule {
  /** Children in their order; `+` marks one that must be there, `4` one that must be there four times, `=` one that must be the only one. */
  readonly children?: string;
  /** Required attributes. */
  readonly required?: readonly string[];
  /** Attributes with a controlled list. */
  readonly lists?: Readonly<Record<string, keyof typeof LISTS>>;
  readonly text?: 'not empty' | 'year' | 'latitude' | 'longitude' | 'language';
}

const CREATOR = 'creatorName= givenName familyName nameIdentifier affiliation';

/** The elements with something to check; all others may hold anything. */
const RULES: Readonly<Record<string, Rule>> = {
  resource: {
    children: `identifier+ creators+ titles+ publisher+ publicationYear+ resourceType+ subjects contributors dates
      language alternateIdentifiers relatedIdentifiers sizes formats version rightsList descriptions geoLocations
      fundingReferences relatedItems`,
  },
  identifier: { required: ['identifierType'], text: 'not empty' },
  creators: { children: 'creator+' },
  creator: { children: CREATOR },
  creatorName: { lists: { nameType: 'nameType' } },
  contributors: { children: 'contributor' },
  contributor: {
    children: CREATOR.replace('creator', 'contributor'),
    required: ['contributorType'],
    lists: { contributorType: 'contributorType' },
  },
  contributorName: { lists: { nameType: 'nameType' }, text: 'not empty' },
  titles: { children: 'title+' },
  title: { lists: { titleType: 'titleType' } },
  publisher: { text: 'not empty' },
  publicationYear: { text: 'year' },
  resourceType: { required: ['resourceTypeGeneral'], lists: { resourceTypeGeneral: 'resourceType' } },
  date: { required: ['dateType'], lists: { dateType: 'dateType' } },
  language: { text: 'language' },
  alternateIdentifier: { required: ['alternateIdentifierType'] },
  relatedIdentifier: {
    required: ['relatedIdentifierType', 'relationType'],
    lists: {
      relatedIdentifierType: 'relatedIdentifierType',
      relationType: 'relationType',
      resourceTypeGeneral: 'resourceType',
    },
  },
  description: { required: ['descriptionType'], lists: { descriptionType: 'descriptionType' } },
  pointLatitude: { text: 'latitude' },
  pointLongitude: { text: 'longitude' },
  westBoundLongitude: { text: 'longitude' },
  eastBoundLongitude: { text: 'longitude' },
  southBoundLatitude: { text: 'latitude' },
  northBoundLatitude: { text: 'latitude' },
  geoLocationPolygon: { children: 'polygonPoint4 inPolygonPoint' },
  fundingReference: { children: 'funderName+ funderIdentifier awardNumber awardTitle' },
  funderName: { text: 'not empty' },
  funderIdentifier: {
    required: ['funderIdentifierType'],
    lists: { funderIdentifierType: 'funderIdentifierType' },
  },
  relatedItem: {
    required: ['relatedItemType', 'relationType'],
    lists: { relatedItemType: 'resourceType', relationType: 'relationType' },
  },
  relatedItemIdentifier: { lists: { relatedItemIdentifierType: 'relatedIdentifierType' } },
  number: { lists: { numberType: 'numberType' } },
};

/** `xs:language`; blanks around it do not count. */
const LANGUAGE = /^[a-zA-Z]{1,8}(-[a-zA-Z0-9]{1,8})*$/;

/** A violation of the schema, in the words of the validator that the service uses. */
interface Violation {
  /** The element, or `element', attribute 'name`. */
  readonly place: string;
  readonly text: string;
  readonly line: number;
}

/**
 * Checks XML of kernel 4 as far as the rules go: required children and attributes, unknown children,
 * controlled lists, and text that must not be empty.
 */
export function violations(root: Element): Violation[] {
  const space = kernelOf(root) ?? '';
  if (root.name !== 'resource' || space !== 'http://datacite.org/schema/kernel-4') {
    const text = 'No matching global declaration available for the validation root.';
    return [{ place: root.name, text, line: root.line }];
  }
  return violationsIn(root, `{${space}}`);
}

function violationsIn(element: Element, space: string): Violation[] {
  const rule = RULES[element.name] ?? {};
  const found: Violation[] = [];
  const add = (text: string, place = element.name, line = element.line) => found.push({ place, text, line });
  for (const [name, value] of Object.entries(element.attributes)) {
    const list: readonly string[] | undefined = LISTS[rule.lists?.[name] ?? ('' as 'dateType')];
    if (list === undefined || list.includes(value)) continue;
    const known = list.map((one) => `'${one}'`).join(', ');
    add(
      `[facet 'enumeration'] The value '${value}' is not an element of the set {${known}}.`,
      `${element.name}', attribute '${name}`,
    );
  }
  for (const name of rule.required ?? []) {
    if (!Object.hasOwn(element.attributes, name)) add(`The attribute '${name}' is required but missing.`);
  }
  const text = element.text.trim();
  if (rule.text === 'not empty' && element.text === '') {
    add(
      "[facet 'minLength'] The value has a length of '0'; this underruns the allowed minimum length of '1'.",
    );
  }
  if (rule.text === 'year' && !/^\d{4}$/.test(text)) {
    add(`[facet 'pattern'] The value '${text}' is not accepted by the pattern '[\\d]{4}'.`);
  }
  if (rule.text === 'language' && !LANGUAGE.test(text)) {
    add(`'${text}' is not a valid value of the atomic type 'xs:language'.`);
  }
  const { 'xml:lang': lang = '' } = element.attributes;
  if (lang !== '' && !LANGUAGE.test(lang.trim())) {
    add(`'${lang}' is not a valid value of the local union type.`, `${element.name}', attribute 'lang`);
  }
  const most = { latitude: 90, longitude: 180 }[rule.text as 'latitude'];
  if (most !== undefined && (text === '' || !(Math.abs(Number(text)) <= most))) {
    add(`'${text}' is not a valid value of the atomic type '${space}${rule.text}Type'.`);
  }
  const wrong = rule.children === undefined ? undefined : wrongChild(element, rule.children, space);
  if (wrong !== undefined) found.push(wrong);
  // Only a related item may have titles without a title (service.md, S4).
  const checked = element.children.filter(
    ({ name, children }) => element.name !== 'relatedItem' || name !== 'titles' || children.length > 0,
  );
  return [...found, ...checked.flatMap((child) => violationsIn(child, space))];
}

/** The first child that is not expected, or the first one that is missing. */
function wrongChild(element: Element, children: string, space: string): Violation | undefined {
  const expected = children.trim().split(/\s+/);
  const names = expected.map((name) => name.replace(/[+=4]$/, ''));
  const seen = element.children.map(({ name }) => name);
  const single = expected.filter((name) => name.endsWith('=')).map((name) => name.slice(0, -1));
  const strange = element.children.find(
    ({ name }, place) => !names.includes(name) || (single.includes(name) && seen.indexOf(name) !== place),
  );
  if (strange !== undefined) {
    const allowed = names.includes(strange.name) ? ` Expected is ( ${space}${names.at(-1)} ).` : '';
    return { place: strange.name, text: `This element is not expected.${allowed}`, line: strange.line };
  }
  const least = (place: number) =>
    /4$/.test(expected[place] ?? '') ? 4 : Number(expected[place] !== names[place]);
  const missing = names.find((name, place) => seen.filter((one) => one === name).length < least(place));
  if (missing === undefined) return undefined;
  const text = `Missing child element(s). Expected is ( ${space}${missing} ).`;
  return { place: element.name, text, line: element.line };
}
