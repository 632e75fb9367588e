import { parseList } from './parsers.ts';
import { abridged } from './words.ts';

/*
 * DOIs as people write them: bare, after `doi:`, or as a link of a resolver. Everything that reads
 * a DOI calls `parseDoi`, which refuses all other forms, and what may mean another DOI: a list, the
 * punctuation of a sentence, and characters that look like others.
 */

/** Longer texts are refused at once. */
const MOST_DOI_CHARACTERS = 2048;

const LINK = new RegExp(
  String.raw`^(?:https?:\/\/)?(?:(?:(?:dx|www)\.)?doi\.org|hdl\.handle\.net|` +
    String.raw`handle\.(?:stage|test)\.datacite\.org)\/`,
  'i',
);
const WHOLE = /^10\.\d+(?:\.\d+)*\/[^\s\p{Cc}]+$/u;
/** Two DOIs with a separator between them, as in `10.5072/a,10.5072/b`. */
const SEVERAL = new RegExp(
  String.raw`\b10\.\d{4,}[\d.]*(?:\/|%2f).*[\s,;|](?:doi:\s*|https?:\/\/\S*\/)?` +
    String.raw`10\.\d{4,}[\d.]*(?:\/|%2f)`,
  'i',
);

/** Whether a text is a DOI in any form that {@link parseDoi} accepts. */
export function isDoi(text: string): boolean {
  try {
    return parseDoi(text) !== '';
  } catch {
    return false;
  }
}

/**
 * The bare DOI in a typed text: bare, with `doi:` in front, or as a resolver's link, which may
 * percent-encode characters.
 * @throws {Error} for anything but one DOI.
 */
export function parseDoi(text: string): string {
  const written = text.trim();
  if (written.length > MOST_DOI_CHARACTERS) throw notDoi(written);
  if (SEVERAL.test(written))
    throw new Error(`'${abridged(text)}' holds several DOIs: write each by itself`);
  const isLink = LINK.test(written);
  const encoded = isLink ? written.replace(LINK, '').replace(/[?#].*$/, '') : bareDoi(written);
  const problem = misspelledDoi(encoded);
  if (problem !== undefined) throw new Error(`'${abridged(text)}' ${problem}`);
  const doi = isLink ? decodePercent(encoded) : encoded;
  if (!WHOLE.test(doi) || !isAddressable(doi)) throw notDoi(written);
  const bare = withoutEnd(encoded);
  if (bare !== encoded)
    throw new Error(`'${abridged(text)}' ends with '${encoded.slice(bare.length)}': write ${bare}`);
  return doi;
}

/** A DOI without the punctuation after it. A DOI that ends with it can be percent-encoded. */
function withoutEnd(doi: string): string {
  const count = (char: string) => doi.split(char).length;
  const isClosed = ['()', '[]', '{}', '<>'].every(
    ([open = '', close = '']) => count(open) === count(close),
  );
  return isClosed && /[)\]}>]$/.test(doi) ? doi : doi.replace(/[.,;:!?/'")\]}>|\\]+$/, '');
}

function notDoi(text: string): Error {
  const forms = 'a DOI such as 10.5072/abc or https://doi.org/10.5072/abc';
  if (/^10\.\d{4,9}\/?$/.test(text)) return new Error(`'${text}' is a DOI prefix, not ${forms}`);
  return new Error(`'${abridged(text)}' is not ${forms}`);
}

/** Characters that are invisible, or that may stand for one of ASCII, such as a dash. */
const DOUBTFUL = /[\p{P}\p{Sm}\p{Sk}\p{Z}\p{Cf}\p{DI}\u2800]/u;

/** The problem of a DOI that contains such a character; undefined for other texts. */
export function misspelledDoi(text: string): string | undefined {
  const char = [...bareDoi(text)].find(
    (each) => each > '~' && (DOUBTFUL.test(each) || /^[!-~]+$/.test(each.normalize('NFKC'))),
  );
  if (char === undefined || !/\p{Nd}/u.test(text)) return undefined;
  const code = (char.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');
  return `contains U+${code} (${char}): write a DOI as in 10.5072/abc, without such characters`;
}

/** The DOI of a record from the service: older DOIs may contain any character. */
export function exactDoi(text: string): string {
  const doi = text.trim();
  return /^10\.[\d.]+\/\S+$/.test(doi) && isAddressable(doi) ? doi : parseDoi(text);
}

/** A DOI without `doi:` or a resolver in front. */
export function bareDoi(text: string): string {
  return text
    .trim()
    .replace(
      /^(https?:\/\/(dx\.|www\.)?(doi\.org|handle\.(stage|test)\.datacite\.org)\/|doi:\s*)/i,
      '',
    );
}

/**
 * Whether a text has a slash, like every DOI, and can be one segment of a URL. A server that
 * decodes slashes resolves segments of dots, and a lone surrogate cannot be encoded.
 */
export function isAddressable(doi: string): boolean {
  return /^[^/]+\/./s.test(doi) && !/(^|[/\\])\.\.?([/\\]|$)/.test(doi) && !/\p{Cs}/u.test(doi);
}

function decodePercent(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    // A stray percent sign: the DOI is not percent-encoded.
    return text;
  }
}

/** One or more DOI prefixes such as `10.5072`, comma-separated. */
export function parsePrefixes(text: string): string {
  const isPrefix = (prefix: string) => /^10\.\d+(\.\d+)*$/.test(prefix);
  return parseList(text, (value) =>
    isPrefix(value) ? undefined : 'a DOI prefix such as 10.5072',
  ).join();
}

/** One DOI prefix such as `10.5072`. */
export function parsePrefix(text: string): string {
  if (text.includes(',')) throw new Error(`'${text}' is not one DOI prefix such as 10.5072`);
  return parsePrefixes(text);
}
