import { abridged } from './words.ts';

/*
 * DOIs as people paste them. Everything that reads a DOI calls `parseDoi`, which accepts a spelling
 * or suggests the right one.
 */

/** Longer texts are refused at once. */
const MOST_CHARACTERS = 2048;

/** Characters that PDF files, web pages and word processors insert into a text. */
const INVISIBLE = /\p{Default_Ignorable_Code_Point}|\p{Cf}|\u2800/gu;

/** Look-alikes of the characters in DOIs; NFKC folds full-width and other forms. */
const LOOK_ALIKES: readonly (readonly [pattern: RegExp, plain: string])[] = [
  [/[\u058a\u2010-\u2015\u2043\u207b\u208b\u2212\u2e3a\u2e3b\ufe58\ufe63\uff0d]/g, '-'],
  [/[\u2044\u2215\u2571\u29f8\uff0f]/g, '/'],
  [/[\u2024\u3002\ufe52\uff0e\uff61]/g, '.'],
  [/[\u02d0\ua789\ufe55\uff1a]/g, ':'],
];

/** A text without invisible characters, and with plain blanks. */
const visibleText = (text: string): string =>
  text.replace(INVISIBLE, '').replace(/\s/g, ' ').trim();

/** A text whose look-alikes are replaced by the characters that they resemble. */
function folded(text: string): string {
  const plain = LOOK_ALIKES.reduce((folding, [from, to]) => folding.replace(from, to), text);
  return [...plain]
    .map((char) => (/[\p{L}\p{N}\p{P}]/u.test(char) ? asciiOf(char) : char))
    .join('');
}

/** The ASCII form of a character, such as a full-width letter; other characters stay. */
function asciiOf(char: string): string {
  const form = char.normalize('NFKC');
  return /^[\x21-\x7e]+$/.test(form) ? form : char;
}

/** The form of almost all DOIs. */
const COMMON = /^10\.\d+(?:\.\d+)*\/[-\w.()/:*~$=]*[\w*~$=-]$/;

const PREFIX = String.raw`10\.\d+(?:\.\d+)*`;
/** The hosts of links whose path ends with the DOI: resolvers, and all of DataCite's pages. */
const RESOLVER =
  '(?:(?:dx|www|beta)\\.)?doi\\.org|hdl\\.handle\\.net|handle\\.(?:stage|test)\\.datacite\\.org';
const LINK = new RegExp(
  String.raw`^(?:https?:)?(?:\/\/)?(?:(?:${RESOLVER})\/(?:api\/handles\/)?|` +
    String.raw`(?:[\w-]+\.)*(?:datacite|crosscite)\.org\/(?:[^?#]*?\/)?(?=10\.))` +
    String.raw`(?:doi:|urn:doi:|info:doi\/)?`,
  'i',
);
const SCHEME = /^(?:(?:urn|info):)?(?:doi|hdl)(?: name)?\s*[:/=]?\/*\s*(?=10\.)/i;
/**
 * A label that only means "DOI", as in `Identifier: 10.5072/abc` or `doi = {10.5072/abc}`. Other
 * words, as in `Keep: 10.5072/abc`, may contradict the command.
 */
const LABEL = new RegExp(
  [
    /^["']?((persistent|permanent|digital object|dataset|article|data)[ _-])?/,
    /(dois?|identifier|pid|handle|link|permalink|url|uri|id)/,
    /([ _-](name|number|link|url|identifier|handle))?["']?\s*[:=]\s*/,
  ]
    .map(({ source }) => source)
    .join(''),
  'i',
);
const PAIRS = '<> () [] {} "" \'\' `` ** __ ~~ “” ‘’ «» „“ （） 【】'.split(' ');
/** Links of Markdown and HTML. */
const LINKED: readonly RegExp[] = [
  /\[(?<label>[^\]]*)\]\((?<target>\S+)\)/,
  /<a\s[^>]*?href\s*=\s*["']?(?<target>[^\s"'>]+)["']?[^>]*>(?<label>.*)<\/a>/i,
];

const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"' };

/** Whether a text is a DOI in any spelling that {@link parseDoi} accepts. */
export function isDoi(text: string): boolean {
  try {
    return parseDoi(text) !== '';
  } catch {
    return false;
  }
}

/**
 * The bare DOI in a typed or pasted text: bare, with a label, in quotes or brackets, or as a link.
 * Invisible characters are removed. Look-alikes, and punctuation of the sentence around it, are
 * errors, which contain the right spelling.
 * @throws {Error} for anything but one DOI.
 */
export function parseDoi(text: string): string {
  if (COMMON.test(text) && isAddressable(text)) return text;
  if (text.length > MOST_CHARACTERS) throw notDoi(text);
  const visible = visibleText(text);
  const dois = new Set(doisIn(visible));
  const plain = folded(visible);
  if (dois.size - Number(dois.has(undefined)) > 1 || hasOtherLabel(plain))
    throw new Error(`'${abridged(text)}' holds several DOIs: write each by itself`);
  const doi = doiIn(plain) ?? (dois.has(undefined) ? undefined : [...dois][0]);
  if (doi === undefined) throw notDoi(text, suggestionIn(plain));
  const bare = isEncodedEnd(plain) ? doi : withoutEnd(doi);
  if (plain !== visible && doiIn(visible) !== doi) {
    const char = [...visible].find((each) => folded(each) !== each) ?? '';
    const what = `${codeOf(char)} (${char}), which only looks like '${folded(char)}'`;
    throw new Error(`'${abridged(text)}' contains ${what}: write ${bare}`);
  }
  if (bare !== doi)
    throw new Error(`'${abridged(text)}' ends with '${doi.slice(bare.length)}': write ${bare}`);
  return doi;
}

/** A DOI without the punctuation after it. A DOI that ends with it can be percent-encoded. */
function withoutEnd(doi: string): string {
  if (isClosed(doi)) return doi;
  const [, bare = ''] = /^(.*?)[.,;:!?/'")\]}>»”’|\\…]+$/.exec(doi) ?? [];
  return bare === '' ? doi : bare;
}

/** Whether a text contains a link whose label and address contain different DOIs. */
function hasOtherLabel(text: string): boolean {
  const { label = '', target = '' } = linkIn(text) ?? {};
  const doi = doiIn(target)?.toLowerCase();
  const mentioned = label.match(/(?<![\d.])10\.\d{4,9}(?:\.\d+)*(?:\/|%2f)[^\s"'<>]+/gi) ?? [];
  return mentioned.some((other) => doiIn(withoutEnd(other))?.toLowerCase() !== doi);
}

interface Link {
  readonly whole: string;
  readonly label?: string;
  readonly target?: string;
}

function linkIn(text: string): Link | undefined {
  const found = LINKED.map((pattern) => pattern.exec(text)).find((match) => match !== null);
  return found ? { ...found.groups, whole: found[0] } : undefined;
}

/** Whether brackets at the end of a DOI belong to it. */
function isClosed(doi: string): boolean {
  if (!/[)\]}>]$/.test(doi)) return false;
  const count = (char: string) => doi.split(char).length;
  return ['()', '[]', '{}', '<>'].every(([open = '', close = '']) => count(open) === count(close));
}

const isEncodedEnd = (text: string): boolean => /%[\da-f]{2}[>)\]"']*$/i.test(text);

function doiIn(text: string): string | undefined {
  let rest = unwrapped(text);
  const isLink = LINK.test(rest);
  rest = rest.replace(LINK, '').replace(SCHEME, '');
  // Pages with an address for each record encode the slash, and add the names of their tabs.
  if (isLink && /^10\.[\d.]+%2f/i.test(rest)) rest = rest.replace(/\/.*$/, '');
  if (isLink) rest = rest.replace(/[?#].*$/, '');
  if (isLink || /^10\.[\d.]+%(?:25)*2f/i.test(rest)) rest = decodePercent(rest).trim();
  const isWhole = new RegExp(`^${PREFIX}\\/[^\\s\\p{Cc}]+$`, 'u').test(rest);
  return isWhole && isAddressable(rest) ? rest : undefined;
}

/** A text without the markup, quotes and labels around it. */
function unwrapped(text: string): string {
  const entities = (marked: string) =>
    marked.replace(/&(?:(amp|lt|gt|quot)|#(\d{1,6})|#x([\da-f]{1,5}));/gi, (_, name, code, hex) => {
      if (name !== undefined) return ENTITIES[String(name).toLowerCase()] ?? '';
      const point = hex === undefined ? Number(code) : Number.parseInt(hex, 16);
      return point <= 0x10ffff ? String.fromCodePoint(point) : '';
    });
  let inner = text;
  for (let before = ''; before !== inner; ) {
    before = inner;
    const link = linkIn(inner);
    const isPair = PAIRS.some(
      (pair) => inner.startsWith(pair[0] ?? '') && inner.endsWith(pair[1] ?? ''),
    );
    if (link?.whole === inner) inner = link.target ?? '';
    else if (isPair && inner.length > 1) inner = inner.slice(1, -1).trim();
    else if (!LINK.test(inner) && !SCHEME.test(inner)) inner = inner.replace(LABEL, '');
  }
  return visibleText(entities(inner));
}

const START =
  '(?:doi:\\s*|https?:\\/\\/[\\w.-]+\\/(?:[\\w.-]+\\/)*)?10\\.\\d{4,}(?:\\.\\d+)*(?:\\/|%2f)';
const BETWEEN = new RegExp(`[\\s,;|]+[<("[]*(?=${START})`, 'i');
const IS_START = new RegExp(`^[<("[]*${START}`, 'i');

/** The parts of a text that lists several DOIs; undefined for a part that is not a DOI. */
function doisIn(visible: string): readonly (string | undefined)[] {
  const parts = visible.split(BETWEEN);
  if (parts.length === 1) return [];
  return parts.map((part) => {
    const doi = IS_START.test(part) ? doiIn(folded(part.replace(/[\s,;|>)"\]]+$/, ''))) : undefined;
    return doi?.toLowerCase();
  });
}

function notDoi(text: string, suggestion?: string): Error {
  const forms = 'a DOI such as 10.5072/abc or https://doi.org/10.5072/abc';
  const hint = suggestion === undefined ? '' : `: write ${suggestion}`;
  if (/^10\.\d{4,9}\/?$/.test(text.trim()))
    return new Error(`'${text.trim()}' is a DOI prefix, not ${forms}`);
  return new Error(`'${abridged(text)}' is not ${forms}${hint}`);
}

const MENTIONED = /(?<![\d.])10\.\d{4,9}(?:\.\d+)*(?:\\\/| ?\/ ?|\\|%2f)[^\s"'<>]+(?=["'<>]|$)/i;

/** The DOI that a text of several words, or a link to another page, probably means. */
function suggestionIn(text: string): string | undefined {
  const [found] = /10\.\d{4}.*\s.*10\.\d{4}/.test(text) ? [] : (MENTIONED.exec(text) ?? []);
  const ended = found?.replace(/(?:[.,;:!?)\]}*~|\\]|%(?:3e|20|22|27|29|5d))+$/i, '');
  return ended && doiIn(ended.replace(/\\\/| ?\/ ?|\\/, '/'));
}

const codeOf = (char: string): string =>
  `U+${(char.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;

/**
 * The problem of a DOI that contains invisible characters or look-alikes, and the DOI to write
 * instead. Undefined for other texts.
 */
export function misspelledDoi(text: string): string | undefined {
  const bare = bareDoi(text);
  const hidden = [...bare].find((char) => visibleText(`a${char}a`) === 'aa');
  const alike = [...bare].find((char) => folded(char) !== char);
  const char = hidden ?? alike;
  const meant = doiIn(folded(visibleText(bare)));
  if (char === undefined || meant === undefined) return undefined;
  const what =
    hidden === undefined
      ? `(${char}), which only looks like '${folded(char)}'`
      : 'which is invisible';
  return `contains ${codeOf(char)}${hidden === undefined ? ' ' : ', '}${what}: write ${meant}`;
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
    const decoded = decodeURIComponent(text);
    // Some programs encode a link twice.
    return /^10\.[\d.]+%/.test(decoded) ? decodePercent(decoded) : decoded;
  } catch {
    // A stray percent sign: the DOI is not percent-encoded.
    return text;
  }
}
