import { entitiesOf, type Resolver, resolved } from './entities.ts';

/** An element of an XML document. */
export interface Element {
  /** Without its namespace prefix. */
  readonly name: string;
  /** Its namespace; empty if it has no namespace. */
  readonly space: string;
  /** The namespaces that it and the elements around it declare, by the declaring attribute. */
  readonly spaces: Readonly<Record<string, string>>;
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: Element[];
  /** Whether its name or one of its attributes has a prefix that is not declared. */
  readonly isUndeclared: boolean;
  /** For the root: whether the document refers to entities that it declares. */
  hasEntities?: boolean;
  /** The line on which its start tag ends, from 1. */
  readonly line: number;
  /** The text directly in it, with its entities resolved. */
  text: string;
}

/** Text that is not well-formed XML. */
export class XmlError extends Error {}

const COMMENT = /<!--[\s\S]*?-->/.source;
const CDATA = /<!\[CDATA\[([\s\S]*?)\]\]>/.source;
const SUBSET = String.raw`\[(?:${COMMENT}|"[^"]*"|'[^']*'|[^\]"'<]|<(?!!--))*\]\s*`;
const TAG = /<(\/?)([\w.:-]+)((?:\s+[\w.:-]+\s*=\s*(?:"[^"<]*"|'[^'<]*'))*)\s*(\/?)>/.source;
const TOKEN = new RegExp(
  String.raw`<\?[\s\S]*?\?>|${COMMENT}|${CDATA}|<!DOCTYPE[^>[]*(?:${SUBSET})?>|${TAG}|([^<]+)`,
  'gy',
);

/**
 * Reads an XML document into its root element. Entities that its document type declares are
 * resolved; elements in them count as text (REXML).
 *
 * @throws XmlError when it is not well-formed
 * @throws TypeError for more references to entities than the service resolves
 */
export function readXml(text: string): Element {
  const spaces = { 'xmlns:xml': 'http://www.w3.org/XML/1998/namespace' };
  const root: Element = {
    name: '',
    space: '',
    spaces,
    attributes: {},
    children: [],
    isUndeclared: false,
    line: 0,
    text: '',
  };
  const open = [root];
  const { named, refersToEntity } = entitiesOf(text);
  let end = 0;
  let line = 1;
  for (const match of text.matchAll(TOKEN)) {
    end = match.index + match[0].length;
    const [whole, data, closing, name, given = '', empty, words] = match;
    const parent = open.at(-1) ?? root;
    line += whole.split('\n').length - 1;
    if (data !== undefined) parent.text += data;
    if (words !== undefined) {
      parent.text += resolved(words, named);
      if (refersToEntity(words)) root.hasEntities = true;
    }
    if (name === undefined) continue;
    const local = name.replace(/^.*:/, '');
    if (closing === '/') {
      if (parent.name !== local || open.length === 1) throw new XmlError();
      open.pop();
      continue;
    }
    const attributes = attributesOf(given, named);
    if (refersToEntity(given)) root.hasEntities = true;
    const spaces = { ...parent.spaces, ...attributes };
    const space = spaces[local === name ? 'xmlns' : `xmlns:${name.replace(/:.*/, '')}`] ?? '';
    const isUndeclared = [name, ...Object.keys(attributes)].some((one) => {
      const [prefix, rest] = one.split(':');
      return rest !== undefined && prefix !== 'xmlns' && !(`xmlns:${prefix}` in spaces);
    });
    const element = {
      ...{ name: local, space, spaces, attributes, isUndeclared },
      ...{ children: [], line, text: '' },
    };
    parent.children.push(element);
    if (empty !== '/') open.push(element);
  }
  const [first, ...others] = root.children;
  if (end < text.length || open.length > 1 || first === undefined || others.length > 0)
    throw new XmlError();
  first.hasEntities = root.hasEntities === true;
  if (root.text.replace(/^\ufeff/, '').trim() !== '') throw new XmlError();
  return first;
}

/** The children of an element that have a name. */
export function children(element: Element | undefined, name: string): Element[] {
  return element?.children.filter((child) => child.name === name) ?? [];
}

/** The namespace of a version of the DataCite Metadata Schema that the document declares. */
export function kernelOf({ attributes }: Element): string | undefined {
  return Object.entries(attributes).find(
    ([name, value]) =>
      /^xmlns(:|$)/.test(name) && value.startsWith('http://datacite.org/schema/kernel'),
  )?.[1];
}

/** An element to be written; its content is text or other elements. */
export interface Tag {
  readonly name: string;
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly content: string | readonly Tag[];
}

/** Attributes without a value are left out. */
export function tag(name: string, content: unknown, attributes: Tag['attributes'] = {}): Tag {
  return { name, attributes, content: Array.isArray(content) ? content : plain(content) };
}

/** XML with one element on each line, indented by two spaces for each level. */
export function printXml(root: Tag): string {
  return `<?xml version="1.0" encoding="UTF-8"?>\n${printed(root, '')}`;
}

function printed({ name, attributes, content }: Tag, indent: string): string {
  const given = Object.entries(attributes).filter(
    ([, value]) => value !== undefined && value !== null,
  );
  const written = given.map(([key, value]) => ` ${key}="${escaped(plain(value))}"`);
  const start = `${indent}<${name}${written.join('')}`;
  if (content.length === 0) return `${start}/>\n`;
  if (typeof content === 'string') return `${start}>${escaped(content)}</${name}>\n`;
  const children = content.map((child) => printed(child, `${indent}  `));
  return `${start}>\n${children.join('')}${indent}</${name}>\n`;
}

function plain(value: unknown): string {
  if (value === undefined || value === null) return '';
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

function attributesOf(text: string, named: Resolver): Record<string, string> {
  const found = text.matchAll(/([\w.:-]+)\s*=\s*(?:"([^"]*)"|'([^']*)')/g);
  return Object.fromEntries(
    [...found].map(([, name, double, single]) => [name, resolved(double ?? single ?? '', named)]),
  );
}

/** Text for XML, without the control characters that XML cannot contain. */
function escaped(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the code looks for them.
  const possible = text.replaceAll(/[\u0000-\u0008\u000b\u000c\u000e-\u001f]/g, '\ufffd');
  return possible.replaceAll(
    /[&<>"]/g,
    (character) =>
      ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' })[character] ?? character,
  );
}
