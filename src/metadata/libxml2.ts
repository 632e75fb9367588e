import type { ParseOptions, XmlDocument, XsdValidator } from 'libxml2-wasm';
import { CliError } from '../errors.ts';

type Library = typeof import('libxml2-wasm');

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
  const [library, { default: xsd }] = await Promise.all([
    import('libxml2-wasm'),
    import('./schema/xsd.json', { with: { type: 'json' } }),
  ]).catch((cause: unknown): never => {
    const message = 'the package libxml2-wasm, which reads XML, cannot be loaded';
    const hint = 'install doi-cli with npm: the single executable reads no XML';
    throw new CliError('unexpected', message, { hint, cause });
  });
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
