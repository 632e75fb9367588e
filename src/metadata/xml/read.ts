import { type XmlElement, XmlText } from '@rgrove/parse-xml';
import { didYouMean } from '../../text/closest.ts';
import { isNonEmptyString, type JsonObject, type Path, pathText } from '../../text/json-values.ts';
import { lineFinder } from '../../text/lines.ts';
import schema from '../schema/datacite-4.7.json' with { type: 'json' };
import { type Element, resourceElement } from './elements.ts';
import {
  elementsIn,
  isBreak,
  isUndeclared,
  LESS,
  localName,
  MalformedXml,
  namesTo,
  parsedXml,
  spaceOf,
  textOf,
} from './parse.ts';

/** A place in an XML document: `resource/titles/title[2]`, and its line, from 1. */
interface XmlPlace {
  readonly path: string;
  readonly line: number;
}

/** A violation of the XML Schema. */
interface XmlProblem extends XmlPlace {
  readonly message: string;
  /** Whether the service cannot read the document, and so refuses even a Draft. */
  readonly isUnreadable?: boolean;
  /** Whether the service accepts it, and drops its text. */
  readonly isDropped?: boolean;
}

/** A document of the DataCite Metadata Schema. */
export interface DataciteXml {
  /** The values that the service reads (service.md, W16), without the DOI; texts are unchanged. */
  readonly attributes: JsonObject;
  /** The text of its identifier, if it has one. */
  readonly identifier: string | undefined;
  /** The namespace: `http://datacite.org/schema/kernel-4`. */
  readonly kernel: string;
  /** The problems of its structure. Values are checked as attributes. */
  readonly problems: readonly XmlProblem[];
  /** The place of the value at a path of the attributes. */
  place(steps: Path): XmlPlace;
}

/** Reads DataCite XML; undefined for XML of another schema. */
export function readDataciteXml(source: string): DataciteXml | MalformedXml | undefined {
  const parsed = parsedXml(source);
  if (parsed instanceof MalformedXml) return parsed;
  const { text, root, hasEntities } = parsed;
  const kernel = root === undefined ? '' : spaceOf(root);
  const isKernel = kernel.startsWith('http://datacite.org/schema/kernel-');
  if (root === undefined || !isKernel || localName(root) !== 'resource') return undefined;
  const reader = new Reader(text);
  reader.checkPrefixes(root);
  if (hasEntities) reader.reportEntities(root);
  const value = reader.value(root, resourceElement(), [], 'resource') as JsonObject;
  const { identifier, ...attributes } = value;
  const doi = (identifier as JsonObject | undefined)?.['identifier'];
  return {
    attributes,
    identifier: isNonEmptyString(doi) ? doi : undefined,
    kernel,
    problems: reader.problems,
    place: (steps) => reader.place(steps),
  };
}

const INSTANCE = 'http://www.w3.org/2001/XMLSchema-instance';
const LANGUAGE = /^\s*[a-zA-Z]{1,8}(-[a-zA-Z0-9]{1,8})*\s*$/;
const ADDRESS = new RegExp(schema.$defs.address.pattern, 'u');

/** Converts elements to attributes by the table, and collects problems and places of values. */
class Reader {
  readonly problems: XmlProblem[] = [];
  readonly #places = new Map<string, XmlPlace>();
  readonly #lineAt: (offset: number) => number;

  constructor(text: string) {
    this.#lineAt = lineFinder(text.replace(/^\ufeff/, ''));
  }

  place(steps: Path): XmlPlace {
    for (let length = steps.length; length >= 0; length -= 1) {
      const place = this.#places.get(pathText(steps.slice(0, length)));
      if (place !== undefined) return place;
    }
    return { path: 'resource', line: 1 };
  }

  reportEntities(root: XmlElement): void {
    this.#problem(root, 'resource', 'refers to entities, with which the service does not check it');
  }

  /** Finds prefixes that are not declared: the service then reads nothing (service.md, S9). */
  checkPrefixes(root: XmlElement): void {
    const elements = [root];
    for (let element = elements.pop(); element !== undefined; element = elements.pop()) {
      const names = [element.name, ...Object.keys(element.attributes)];
      const wrong = names.find((name) => isUndeclared(element, name));
      if (wrong !== undefined) {
        const [prefix] = wrong.split(':');
        const message = `has the prefix ${prefix}, which is not declared`;
        this.#problem(element, namesTo(element).join('/'), message, true);
      }
      for (const child of elementsIn(element)) elements.push(child);
    }
  }

  /** @param path of the element in the document. */
  value(element: XmlElement, rule: Element, steps: Path, path: string): unknown {
    this.#places.set(pathText(steps), { path, line: this.#lineAt(element.start) });
    const xmlAttributes = this.#attributes(element, rule, path);
    const { children } = rule;
    if (children === undefined) {
      const text = this.#text(element, rule, path);
      return rule.text === undefined
        ? text
        : { ...(text !== undefined && { [rule.text]: text }), ...xmlAttributes };
    }
    const values = this.#children(element, rule, steps, path);
    if (!rule.list) return { ...xmlAttributes, ...values };
    return Object.values(values)[0] ?? [];
  }

  /** The values of the child elements, by their members of the record. */
  #children(element: XmlElement, rule: Element, steps: Path, path: string): JsonObject {
    const { children = {}, needs = [] } = rule;
    const words = element.children.find(
      (child) => child instanceof XmlText && child.text.trim() !== '',
    );
    const isText = rule.list === true && elementsIn(element).length === 0;
    if (words !== undefined) this.#problem(element, path, 'has text between its elements', isText);
    const names = Object.keys(children);
    const seen = new Map<string, number>();
    const values: Record<string, unknown> = {};
    let last = 0;
    for (const child of elementsIn(element)) {
      const name = localName(child);
      const of = ownMember(children, name);
      const count = (seen.get(name) ?? 0) + 1;
      seen.set(name, count);
      const at = `${path}/${name}${of?.many ? `[${count}]` : ''}`;
      if (isUndeclared(child)) continue;
      if (of === undefined || spaceOf(child) !== spaceOf(element)) {
        this.#problem(
          child,
          at,
          `is not an element of ${localName(element)}${didYouMean(name, names)}`,
        );
        continue;
      }
      if (count > 1 && !of.many) {
        this.#problem(child, at, 'is there more than once', of.list ?? name === 'resourceType');
        continue;
      }
      const order = names.indexOf(name);
      if (!rule.anyOrder && order < last)
        this.#problem(child, at, `must come before ${names[last]}`);
      last = Math.max(last, order);
      this.#add(values, child, of, steps, at, { name, isItem: rule.list === true, count });
    }
    for (const name of needs) {
      if (!seen.has(name)) this.#problem(element, `${path}/${name}`, 'is missing');
    }
    return values;
  }

  #add(
    values: Record<string, unknown>,
    child: XmlElement,
    rule: Element,
    steps: Path,
    path: string,
    {
      name,
      isItem,
      count,
    }: { readonly name: string; readonly isItem: boolean; readonly count: number },
  ): void {
    const member = rule.as ?? name;
    if (rule.flat) {
      const whole = this.place(steps);
      const flat = this.value(child, rule, steps, path) as JsonObject;
      for (const key of Object.keys(flat))
        this.#places.set(pathText([...steps, key]), this.place(steps));
      this.#places.set(pathText(steps), whole);
      Object.assign(values, flat);
      return;
    }
    if (name === 'polygonPoint' || name === 'inPolygonPoint') {
      const list = listAt(values, 'polygon');
      list.push({ [name]: this.value(child, rule, [...steps, list.length, name], path) });
      return;
    }
    if (!rule.many) {
      values[member] = this.value(child, rule, [...steps, member], path);
    } else if (isItem || ['nameIdentifiers', 'affiliation'].includes(member)) {
      const list = listAt(values, member);
      list.push(
        this.value(child, rule, [...steps, ...(isItem ? [] : [member]), count - 1], path) ?? '',
      );
    } else if (count === 1) {
      const value = this.value(child, rule, [...steps, member], path);
      values[member] = member === 'geoLocationPolygon' ? (value as JsonObject)['polygon'] : value;
    } else {
      // Of several places or polygons in a location, the service keeps at most one. It cannot read
      // several points or boxes.
      if (/(Point|Box)$/.test(member)) this.#problem(child, path, 'is there more than once', true);
      this.value(child, rule, [...steps, member], path);
      if (member === 'geoLocationPolygon') delete values[member];
    }
  }

  #attributes(element: XmlElement, rule: Element, path: string): JsonObject {
    const { attributes: known = {}, open } = rule;
    const isText = Object.keys(element.attributes).length === 0 && textOf(element).trim() !== '';
    const isUnreadable = isText && /^(nameIdentifier|resourceType)$/.test(localName(element));
    // The schema requires no attribute in the identifiers of a person.
    const required = isUnreadable && open ? ['nameIdentifierScheme'] : (rule.required ?? []);
    for (const name of required.filter((name) => !(name in element.attributes))) {
      this.#problem(element, `${path}/@${name}`, 'is missing', isUnreadable);
    }
    const members = Object.entries(element.attributes).flatMap(([name, value]) => {
      const member = ownMember(known, name);
      if (name === 'xml:lang' && value !== '' && !LANGUAGE.test(value)) {
        this.#problem(element, `${path}/@${name}`, 'is not a language tag such as en, de or pt-BR');
      }
      if (!open && /URI$|Code$/.test(name) && !ADDRESS.test(value)) {
        this.#problem(element, `${path}/@${name}`, 'is not a URI such as https://example.org/');
      }
      if (member !== undefined) return [[member, value.replaceAll(LESS, '<')]];
      // A namespace, or the location of the schema, with any prefix.
      const isTaken =
        spaceOf(element, name) === INSTANCE
          ? /:(type|(s|noNamespaceS)chemaLocation)$/.test(name)
          : open || /^xmlns(:|$)/.test(name) || isUndeclared(element, name);
      if (!isTaken)
        this.#problem(element, `${path}/@${name}`, `is not an attribute of ${localName(element)}`);
      return [];
    });
    return Object.fromEntries(members) as JsonObject;
  }

  #text(element: XmlElement, { filled, open }: Element, path: string): string | undefined {
    for (const child of elementsIn(element)) {
      if (isBreak(element, child)) continue;
      const at = `${path}/${localName(child)}`;
      const message = `is not an element of ${localName(element)}`;
      if (!open) this.#problem(child, at, message);
      else if (child.text.trim() !== '') {
        const line = this.#lineAt(child.start);
        const dropped = `${message}: the service drops its text`;
        this.problems.push({ path: at, line, message: dropped, isDropped: true });
      }
    }
    const whole = textOf(element);
    // Only blanks of XML.
    const text = whole.replaceAll(/^[ \t\r\n]+|[ \t\r\n]+$/g, '');
    if (filled && (filled === true ? whole : text) === '') this.#problem(element, path, 'is empty');
    else if (filled === 'year' && !/^\d{4}$/.test(text))
      this.#problem(element, path, 'is not a year of four digits');
    return text === '' ? undefined : text;
  }

  #problem(element: XmlElement, path: string, message: string, isUnreadable = false): void {
    this.problems.push({ path, line: this.#lineAt(element.start), message, isUnreadable });
  }
}

/** A member by name; safe for names such as `constructor`. */
function ownMember<T>(members: Readonly<Record<string, T>>, name: string): T | undefined {
  return Object.hasOwn(members, name) ? members[name] : undefined;
}

/** The list of a member; a missing list is created. */
function listAt(values: Record<string, unknown>, member: string): unknown[] {
  values[member] ??= [];
  return values[member] as unknown[];
}
