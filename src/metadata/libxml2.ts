import type { ParseOptions, XmlDocument, XsdValidator } from 'libxml2-wasm';
import { CliError } from '../errors.ts';

type Library = typeof import('libxml2-wasm');
type Internals = typeof import('libxml2-wasm/lib/libxml2.mjs') & {
  // Missing in the declarations.
  addFunction(callback: (index: number, error: number) => void, types: string): number;
};

/** libxml2 with the XML Schema of kernel 4.7. */
interface Libxml2 extends Pick<Library, 'XmlParseError' | 'XmlValidateError'> {
  /** Documents must be disposed of: they are not in JavaScript's memory. */
  parse(bytes: Uint8Array): XmlDocument;
  readonly schema: XsdValidator;
}

let loading: Promise<Libxml2> | undefined;
let loaded: Libxml2 | undefined;

/** Loads what reads XML, which takes a quarter of a second: call it only for records with XML. */
export async function prepareXml(): Promise<void> {
  loading ??= load();
  loaded = await loading;
}

/** @throws {Error} before {@link prepareXml}. */
export function libxml2(): Libxml2 {
  if (loaded === undefined) throw new Error('prepareXml has not been called');
  return loaded;
}

async function load(): Promise<Libxml2> {
  const [library, internals, { default: xsd }] = await Promise.all([
    import('libxml2-wasm'),
    import('libxml2-wasm/lib/libxml2.mjs') as Promise<unknown>,
    import('./schema/xsd.json', { with: { type: 'json' } }),
  ]).catch((cause: unknown): never => {
    const message = 'the package libxml2-wasm, which reads XML, cannot be loaded';
    throw new CliError('unexpected', message, { hint: 'install doi-cli again', cause });
  });
  collectFirst(internals as Internals);
  const { ParseOption: Option, XmlDocument, XmlParseError, XmlValidateError } = library;
  // Nothing is loaded from other files or from the network, and lines are counted beyond 65,535.
  const option = Option.XML_PARSE_NO_XXE | Option.XML_PARSE_NONET | Option.XML_PARSE_BIG_LINES;
  // The service reads all XML as UTF-8.
  const options: ParseOptions = { option, encoding: 'UTF-8' };
  const parse = (bytes: Uint8Array) => XmlDocument.fromBuffer(bytes, options);
  return { parse, schema: schemaOf(library, xsd), XmlParseError, XmlValidateError };
}

/** @param files of the XML Schema: their texts by name. */
function schemaOf(library: Library, files: Readonly<Record<string, string>>): XsdValidator {
  const { XmlBufferInputProvider, xmlCleanupInputProvider, xmlRegisterInputProvider } = library;
  const buffers = Object.entries(files).map(([name, text]) => [name, Buffer.from(text)]);
  xmlRegisterInputProvider(new XmlBufferInputProvider(Object.fromEntries(buffers)));
  const url = 'metadata.xsd';
  const document = library.XmlDocument.fromString(files[url] ?? '', { url });
  try {
    return library.XsdValidator.fromDoc(document);
  } finally {
    document.dispose();
    xmlCleanupInputProvider();
  }
}

/** Further errors are only counted: with their number, a record has a thousand findings. */
const MAX_ERRORS = 999;
const REST = { message: '', level: 2, line: 0, col: 0 };

/**
 * Replaces the function with which the library collects errors. Its own asks libxml2 for the path
 * of each, which walks through all elements in front: 15,000 errors in a list took three seconds.
 * Its paths also lack names; these are like `resource/titles/title[2]`.
 */
function collectFirst({
  addFunction,
  error,
  XmlErrorStruct,
  XmlTreeCommonStruct: Node,
}: Internals): void {
  let indexes = new Map<number, number>();
  const ELEMENT = 1;
  /** The position of an element among those of its name, from 1. */
  const indexOf = (node: number): number => {
    const name = Node.name_(node);
    let count = 1;
    for (let before = Node.prev(node); before !== 0; before = Node.prev(before)) {
      if (Node.type(before) !== ELEMENT || Node.name_(before) !== name) continue;
      const known = indexes.get(before);
      count += known ?? 1;
      if (known !== undefined) break;
    }
    indexes.set(node, count);
    return count;
  };
  const pathOf = (node: number): string => {
    const elements: number[] = [];
    for (let at = node; at !== 0 && Node.type(at) === ELEMENT; at = Node.parent(at))
      elements.unshift(at);
    const steps = elements.map((element, depth) => {
      const index = depth === 0 ? 1 : indexOf(element);
      // Items of a list always have their number.
      return `${Node.name_(element)}${index > 1 || depth === 2 ? `[${index}]` : ''}`;
    });
    return steps.join('/');
  };
  error.errorCollector = addFunction((index, at) => {
    const errors = error.storage.get(index) ?? [];
    if (errors.length === 0) indexes = new Map();
    if (errors.length >= MAX_ERRORS) {
      errors.push(REST);
      return;
    }
    errors.push({
      message: XmlErrorStruct.message(at),
      level: XmlErrorStruct.level(at),
      line: XmlErrorStruct.line(at),
      col: XmlErrorStruct.col(at),
      xpath: pathOf(XmlErrorStruct.node(at)),
    });
  }, 'vii');
}
