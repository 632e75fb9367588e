import { parseXml, XmlElement, XmlError, XmlText } from '@rgrove/parse-xml';
import { EntityError, withoutEntities } from './entities.ts';

/** An error for text that is not well-formed XML, with its line and column, each from 1. */
export class MalformedXml extends Error {
  readonly line: number;
  readonly column: number;

  constructor({ message, line, column }: Pick<XmlError, 'message' | 'line' | 'column'>) {
    super(message.split(' (line ')[0]);
    this.line = line;
    this.column = column;
  }
}

/** A noncharacter that replaces each `<` of text, so that positions do not change. */
export const LESS = '\ufdd0';

/** A document whose entities are replaced. */
interface ParsedXml {
  /** Its text, in which {@link LESS} replaces the `<` of some tags. */
  readonly text: string;
  readonly root: XmlElement | undefined;
  /** Whether it refers to entities that its document type declares. */
  readonly hasEntities: boolean;
}

/** Parsing more takes seconds, in which no signal is noticed; real records have a tenth of it. */
const MOST_TAGS = 300_000;

/** Parses XML. Tags that the service reads as text are text (service.md, S9). */
export function parsedXml(source: string): ParsedXml | MalformedXml {
  if ((source.match(/</g) ?? []).length > MOST_TAGS)
    return new MalformedXml({ message: 'It has more than 300,000 tags', line: 1, column: 1 });
  const resolved = entitiesReplaced(source);
  if (resolved instanceof MalformedXml) return resolved;
  const text = resolved.replaceAll(/<(\/?(?:strong|em|b|i|code|pre|sub|sup|br))>/g, `${LESS}$1>`);
  const root = rootOf(text);
  if (root instanceof MalformedXml) return root;
  return { text, root, hasEntities: resolved !== source };
}

function entitiesReplaced(source: string): string | MalformedXml {
  try {
    return withoutEntities(source);
  } catch (error) {
    if (!(error instanceof EntityError)) throw error;
    return new MalformedXml({ message: error.message, line: 1, column: 1 });
  }
}

function rootOf(text: string): XmlElement | MalformedXml | undefined {
  try {
    return parseXml(text.replace(/^\ufeff/, ''), { includeOffsets: true }).root ?? undefined;
  } catch (error) {
    if (error instanceof XmlError) return new MalformedXml(error);
    // The parser recurses into nested elements.
    if (error instanceof RangeError)
      return new MalformedXml({ message: 'Elements are nested too deeply', line: 1, column: 1 });
    throw error;
  }
}

/** The text of an element without its child elements, as the service reads it. */
export const textOf = ({ children }: XmlElement) =>
  children
    .flatMap((child) => (child instanceof XmlText ? child.text : []))
    .join('')
    .replaceAll(LESS, '<');

/** The namespace of an element or of its attribute, declared there or in an outer element. */
export function spaceOf(element: XmlElement, name = element.name): string {
  const declares = name.includes(':') ? `xmlns:${name.replace(/:.*/, '')}` : 'xmlns';
  let ancestor: unknown = element;
  while (ancestor instanceof XmlElement && !(declares in ancestor.attributes))
    ancestor = ancestor.parent;
  return (ancestor instanceof XmlElement && ancestor.attributes[declares]) || '';
}

/** Whether the name of an element or of its attribute has a prefix that is not declared. */
export const isUndeclared = (element: XmlElement, name = element.name) =>
  /^(?!xml(ns)?:).+:/.test(name) && spaceOf(element, name) === '';

/** The names of the elements around an element, and its own. */
export function namesTo(element: XmlElement): readonly string[] {
  const { parent, name } = element;
  return parent instanceof XmlElement ? [...namesTo(parent), name] : [name];
}

/** The name of an element without the prefix of its namespace. */
export const localName = ({ name }: XmlElement) => name.replace(/^.*:/, '');

export const elementsIn = ({ children }: XmlElement) =>
  children.filter((child) => child instanceof XmlElement);

/** Descriptions may contain `<br/>`. */
export function isBreak(element: XmlElement, child: XmlElement): boolean {
  const isEmpty = child.children.length === 0 && Object.keys(child.attributes).length === 0;
  return localName(element) === 'description' && localName(child) === 'br' && isEmpty;
}
