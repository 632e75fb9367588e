import type { ErrorDetail, XmlDocument, XmlElement, XmlNode } from 'libxml2-wasm';
import { number } from '../text/words.ts';
import { KERNEL_4 } from './kernel.ts';
import { libxml2 } from './libxml2.ts';
import { notInList, type ValueProblem } from './schema.ts';

/** A place in an XML document: `resource/titles/title[2]`, and its line, from 1. */
interface XmlPlace {
  readonly path: string;
  readonly line: number;
}

/** A violation of the XML Schema. */
type XmlProblem = XmlPlace &
  ValueProblem & {
    /** Whether the service cannot read the document, and so refuses even a Draft. */
    readonly isUnreadable?: boolean;
  };

/** An identifier in XML, with the type that its attribute names. */
export interface XmlIdentifier extends XmlPlace {
  readonly text: string;
  readonly type: string;
}

/** The parts of a DataCite XML document that the checks read. */
export interface DataciteXml {
  /** The namespace: `http://datacite.org/schema/kernel-4`. */
  readonly kernel: string;
  readonly identifier: XmlIdentifier | undefined;
  /** Alternate identifiers, and elements of another name or namespace than the identifier. */
  readonly otherIdentifiers: readonly XmlIdentifier[];
  /** The number of items with text in each list except subjects, by the name of the list. */
  readonly counts: Readonly<Record<string, number>>;
  /** What the XML Schema of kernel 4 forbids; empty for other kernels. */
  readonly problems: readonly XmlProblem[];
}

/** An error for text that cannot be read as XML, with its line and column, each from 1. */
export class MalformedXml extends Error {
  readonly line: number;
  readonly column: number;

  constructor({ message, line, col }: ErrorDetail) {
    super(message.trim().replace(/, (use|try|see) xml.*$/i, ''));
    this.line = line;
    this.column = col;
  }
}

/** Reads DataCite XML; undefined for XML of another schema. */
export function readDataciteXml(bytes: Uint8Array): DataciteXml | MalformedXml | undefined {
  const { parse, XmlParseError } = libxml2();
  let document: XmlDocument;
  try {
    document = parse(bytes);
  } catch (error) {
    if (!(error instanceof XmlParseError)) throw error;
    const [first = { message: error.message, level: 3, line: 1, col: 1 }] = error.details;
    return new MalformedXml(first);
  }
  try {
    return contents(document);
  } finally {
    document.dispose();
  }
}

/** A resource has about twenty children, and each only once. */
const CHILDREN = '/*/*[position() <= 100 or local-name() = "identifier"]';

function contents(document: XmlDocument): DataciteXml | undefined {
  const { name, namespaceUri: kernel } = document.root;
  const isKernel = kernel.startsWith('http://datacite.org/schema/kernel-');
  if (!isKernel || name !== 'resource') return undefined;
  const children = document.find(CHILDREN) as XmlElement[];
  const isIdentifier = (child: XmlElement) =>
    child.name === 'identifier' && child.namespaceUri === kernel;
  const identifier = children.find(isIdentifier);
  const misnamed = children.filter(
    (child) => /^(identifier|dois?)$/i.test(child.name) && !isIdentifier(child),
  );
  const alternates = children
    .filter((child) => child.name === 'alternateIdentifiers')
    .flatMap((list) => list.find('*[position() <= 1000]'));
  const counts = children
    // Equal subjects become one (service.md, W24).
    .filter((list) => list.name !== 'subjects')
    .map((list) => [list.name, list.eval('count(*[normalize-space()])')]);
  return {
    kernel,
    identifier: identifier && identifierIn(identifier, 'resource/identifier'),
    otherIdentifiers: [
      ...misnamed.map((one) => ({ ...identifierIn(one, `resource/${one.name}`), type: 'DOI' })),
      ...alternates.map((item, index) =>
        identifierIn(item, `resource/alternateIdentifiers/alternateIdentifier[${index + 1}]`),
      ),
    ],
    counts: Object.fromEntries(counts) as Record<string, number>,
    problems: kernel === KERNEL_4 ? problemsIn(document) : [],
  };
}

function identifierIn(node: XmlNode, path: string): XmlIdentifier {
  const type = node.eval('string(@*[contains(local-name(), "dentifierType")])');
  return { path, line: node.line, text: node.content.trim(), type: String(type) };
}

/** Further problems are only counted: with their number, a record has a thousand findings. */
const MAX_PROBLEMS = 999;
/** libxml2 needs seconds for the paths of more wrong elements, and cannot be interrupted. */
const MAX_ELEMENTS = 50_000;

function problemsIn(document: XmlDocument): readonly XmlProblem[] {
  const { schema, XmlValidateError } = libxml2();
  const elements = Number(document.eval('count(//*)'));
  if (elements > MAX_ELEMENTS) return [tooLarge(elements)];
  try {
    schema.validate(document);
    return [];
  } catch (error) {
    if (!(error instanceof XmlValidateError)) return [ENTITIES];
    const { details } = error;
    const listed = details.slice(0, MAX_PROBLEMS);
    const problems = listed
      .map((detail) => problemOf(detail, pathOf(document, detail.xpath ?? '/*')))
      .filter((problem) => !isReplaced(problem));
    if (listed.length === details.length) return problems;
    const more = `has ${number(details.length - listed.length)} more problems`;
    return [...problems, { path: 'resource', line: listed.at(-1)?.line ?? 1, message: more }];
  }
}

const tooLarge = (elements: number): XmlProblem => ({
  path: 'resource',
  line: 1,
  message: `has ${number(elements)} elements, more than the ${number(MAX_ELEMENTS)} of any record`,
  isUnreadable: true,
});

/** `resource/titles/title[2]` for the XPath of an element, which lacks names. */
function pathOf(document: XmlDocument, xpath: string): string {
  // An expression cannot use the prefixes of the document.
  const named = xpath.replace(/\/([^/:[]+:[^/[]+)/g, '/*[name()="$1"]');
  const steps: string[] = [];
  let element = document.get(named) as XmlElement | null;
  for (; element !== null; element = element.parent) {
    const { name } = element;
    const index = Number(element.eval(`count(preceding-sibling::*[local-name()="${name}"])`)) + 1;
    steps.unshift(index > 1 || isItem(element) ? `${name}[${index}]` : name);
  }
  return steps.join('/');
}

/** Whether an element is an item of a list, which always has its number. */
const isItem = ({ parent }: XmlElement): boolean =>
  parent !== null && parent.parent?.parent === null;

/** libxml2 ends the check of a document at a reference in an element (service.md, S11). */
const ENTITIES: XmlProblem = {
  path: 'resource',
  line: 1,
  message:
    'refers to entities that its document type declares, with which the service does not check ' +
    'it: replace them, as with xmllint --noent',
  isUnreadable: true,
};

/** The service puts the DOI of the record into the identifier before it checks (service.md, S9). */
const isReplaced = ({ path, message }: XmlProblem) =>
  path === 'resource/identifier' && message.includes('minimum length');

const MAX_MESSAGE_LENGTH = 300;

/** A list or `resourceType` that occurs again: the service fails (service.md, S9). */
const AGAIN = /^resource\/(\w+s|rightsList|resourceType)\[\d+\]$/;

/** A problem in the words of libxml2, without what the path says. */
function problemOf({ message, line }: ErrorDetail, element: string): XmlProblem {
  const [, of = '', text = message] =
    /^Element '[^']*'(?:, attribute '([^']*)')?: (?:\[facet '\w+'\] )?(.*)/s.exec(message) ?? [];
  const [, missing = ''] = /^The attribute '([^']*)' is required but missing/.exec(text) ?? [];
  const attribute = withoutSpaces(of || missing);
  const path = attribute === '' ? element : `${element}/@${attribute}`;
  if (missing !== '') return { path, line, message: 'is missing' };
  const [, value, list = ''] =
    /^The value '(.*)' is not an element of the set \{'(.*)'\}\.\s*$/s.exec(text) ?? [];
  if (value !== undefined) {
    return { path, line, ...notInList(value, list.split("', '")) };
  }
  const lacking = element === 'resource' ? namesIn(text).filter((name) => NEEDED.has(name)) : [];
  if (lacking.length > 0) return { path, line, message: `lacks ${lacking.join(', ')}` };
  const words = withoutSpaces(text)
    .replace(/^(This element|The attribute '[^']*'|The value) /, '')
    .replace('. Expected', '; expected')
    .replace(/\.\s*$/, '')
    .slice(0, MAX_MESSAGE_LENGTH);
  const isUnreadable = AGAIN.test(path) && words.startsWith('is not expected');
  return { path, line, message: words.replace(/^./, (first) => first.toLowerCase()), isUnreadable };
}

/** The required elements of a resource. */
const NEEDED: ReadonlySet<string> = new Set(
  'identifier creators titles publisher publicationYear resourceType'.split(' '),
);

/** The names that libxml2 lists where an element lacks others: optional ones as well. */
const namesIn = (text: string): readonly string[] =>
  /^Missing child element.*\((.*)\)/s.exec(withoutSpaces(text))?.[1]?.trim().split(', ') ?? [];

/** Names without their namespaces. */
const withoutSpaces = (text: string) =>
  text
    .replaceAll('{http://www.w3.org/XML/1998/namespace}', 'xml:')
    .replace(/\{https?:[^{}\s]*\}/g, '');
