import { problem, Refusal } from '../http/answer.ts';

/** An element of an XML document, with the parts that metadata uses. */
interface Element {
  /** Without its namespace prefix. */
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: Element[];
  /** The text directly in it, entities resolved. */
  text: string;
}

const TOKEN =
  /<\?[\s\S]*?\?>|<!--[\s\S]*?-->|<!\[CDATA\[([\s\S]*?)\]\]>|<!DOCTYPE[^>[]*>|<(\/?)([\w.:-]+)((?:\s+[\w.:-]+\s*=\s*(?:"[^"<]*"|'[^'<]*'))*)\s*(\/?)>|([^<]+)/gy;

/**
 * Reads an XML document into its root element. It refuses a document type with an internal subset.
 *
 * @throws Refusal with 422 when it is not well-formed
 */
export function readXml(text: string): Element {
  const root: Element = { name: '', attributes: {}, children: [], text: '' };
  const open = [root];
  TOKEN.lastIndex = 0;
  let end = 0;
  for (let match = TOKEN.exec(text); match !== null; match = TOKEN.exec(text)) {
    end = TOKEN.lastIndex;
    const [, data, closing, name, attributes = '', empty, words] = match;
    const parent = open.at(-1) ?? root;
    if (data !== undefined) parent.text += data;
    if (words !== undefined) parent.text += resolved(words);
    if (name === undefined) continue;
    const local = name.replace(/^.*:/, '');
    if (closing === '/') {
      if (parent.name !== local || open.length === 1) throw malformed();
      open.pop();
      continue;
    }
    const element: Element = { name: local, attributes: attributesOf(attributes), children: [], text: '' };
    parent.children.push(element);
    if (empty !== '/') open.push(element);
  }
  const [first, ...others] = root.children;
  if (end < text.length || open.length > 1 || first === undefined || others.length > 0) throw malformed();
  if (root.text.replace(/^\ufeff/, '').trim() !== '') throw malformed();
  return first;
}

/**
 * The most common attributes of a record, from XML of the DataCite Metadata Schema.
 *
 * @throws Refusal with 422 when it is not such XML
 */
export function readDataciteXml(xml: string): Record<string, unknown> {
  const root = readXml(xml);
  if (root.name !== 'resource') throw malformed();
  const one = (name: string) => root.children.find((child) => child.name === name);
  const all = (name: string) => one(name)?.children ?? [];
  const type = one('resourceType');
  const general = type?.attributes['resourceTypeGeneral'];
  return filled({
    creators: all('creators').map((creator) => person(creator, 'creatorName')),
    titles: all('titles').map(({ text, attributes }) =>
      filled({ title: text.trim(), ...pick(attributes, 'titleType') }),
    ),
    publisher: one('publisher')?.text.trim(),
    publicationYear: Number(one('publicationYear')?.text) || undefined,
    types:
      general === undefined
        ? undefined
        : filled({ resourceTypeGeneral: general, resourceType: type?.text.trim() }),
    subjects: all('subjects').map(({ text }) => ({ subject: text.trim() })),
    contributors: all('contributors').map((one) => ({
      ...person(one, 'contributorName'),
      ...pick(one.attributes, 'contributorType'),
    })),
    dates: all('dates').map(({ text, attributes }) => ({
      date: text.trim(),
      ...pick(attributes, 'dateType'),
    })),
    language: one('language')?.text.trim(),
    version: one('version')?.text.trim(),
    descriptions: all('descriptions').map(({ text, attributes }) => ({
      description: text.trim(),
      ...pick(attributes, 'descriptionType'),
    })),
  });
}

/** The DOI that XML names as its identifier, in lower case; empty without one. */
export function identifierIn(xml: string): string {
  const identifier = readXml(xml).children.find(({ name }) => name === 'identifier');
  return identifier?.text.trim().toLowerCase() ?? '';
}

function person({ children }: Element, nameElement: string): Record<string, unknown> {
  const named = children.find(({ name }) => name === nameElement);
  const text = (name: string) => children.find((child) => child.name === name)?.text.trim();
  return filled({
    name: named?.text.trim(),
    nameType: named?.attributes['nameType'],
    givenName: text('givenName'),
    familyName: text('familyName'),
    affiliation: children.filter(({ name }) => name === 'affiliation').map((place) => place.text.trim()),
  });
}

function pick(attributes: Element['attributes'], name: string): Record<string, string> {
  const value = attributes[name];
  return value === undefined ? {} : { [name]: value };
}

function filled(members: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(members).filter(([, value]) => value !== undefined && value !== ''),
  );
}

function attributesOf(text: string): Record<string, string> {
  const found = text.matchAll(/([\w.:-]+)\s*=\s*(?:"([^"]*)"|'([^']*)')/g);
  return Object.fromEntries(
    [...found].map(([, name, double, single]) => [name, resolved(double ?? single ?? '')]),
  );
}

const ENTITIES: Readonly<Record<string, string>> = { lt: '<', gt: '>', amp: '&', quot: '"', apos: "'" };

function resolved(text: string): string {
  return text.replaceAll(/&(?:#x([\da-fA-F]{1,6})|#(\d{1,7})|(\w+));/g, (whole, hex, decimal, name) => {
    if (name !== undefined) return ENTITIES[name as string] ?? whole;
    const code = hex === undefined ? Number(decimal) : Number.parseInt(String(hex), 16);
    return code <= 0x10ffff ? String.fromCodePoint(code) : whole;
  });
}

function malformed(): Refusal {
  return new Refusal(problem(422, 'The XML is not well-formed, or not of the DataCite Metadata Schema.'));
}
