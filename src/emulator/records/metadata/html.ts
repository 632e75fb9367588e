import { resolved } from './entities.ts';
import references from './html-references.json' with { type: 'json' };

const KEPT = new Set(['strong', 'em', 'b', 'i', 'code', 'pre', 'sub', 'sup', 'br']);
const ESCAPED: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };
/** The characters of the names that libxml2 knows: HTML 4 and `apos`. */
const CHARACTERS: ReadonlyMap<string, string> = new Map(Object.entries(references));
const LETTER = /[a-z]/i;
const NAME = /[\w:.-]/;
const BLANK = /\s/;

/**
 * A text as the service cleans it: it is read as HTML, and only a few tags and the text outside of
 * tags are kept (bolognese: `sanitize`; libxml2: HTMLparser.c).
 */
export function cleanHtml(text: string): string {
  const open: string[] = [];
  let clean = '';
  let at = 0;
  while (at < text.length) {
    const start = text.indexOf('<', at);
    const end = start < 0 ? text.length : markupEnd(text, start);
    clean += plainText(text.slice(at, start < 0 ? end : start));
    if (start < 0) break;
    const markup = text.slice(start, end);
    clean += end === start ? '&lt;' : tagOf(markup, open);
    at = Math.max(end, start + 1);
  }
  return clean + closing(open.splice(0));
}

const closing = (names: string[]) =>
  names
    .toReversed()
    .map((name) => `</${name}>`)
    .join('');

function plainText(text: string): string {
  return text.replaceAll(/&#?\w+;|[&<>]/g, (whole) =>
    resolved(whole, (name) => CHARACTERS.get(name)).replaceAll(
      /[&<>]/g,
      (char) => ESCAPED[char] ?? '',
    ),
  );
}

/** A tag as the service keeps it. @param open the kept elements around it; updated here. */
function tagOf(markup: string, open: string[]): string {
  const [, slash, spelled = ''] = /^<(\/?)([a-z][\w:.-]*)/i.exec(markup) ?? [];
  const name = spelled.toLowerCase();
  if (!KEPT.has(name)) return '';
  if (slash === '/') {
    const place = open.lastIndexOf(name);
    return place < 0 ? '' : closing(open.splice(place));
  }
  if (name === 'br') return '<br>';
  if (!markup.endsWith('>') || markup.endsWith('/>')) return `<${name}></${name}>`;
  open.push(name);
  return `<${name}>`;
}

/** The end of the markup that begins at a `<`; its own offset if the `<` is text. */
function markupEnd(text: string, start: number): number {
  const next = text.charAt(start + 1);
  if (text.startsWith('<!--', start)) return commentEnd(text, start + 4);
  if (next === '!') return after(text, '>', start);
  if (next === '?' || next === '/') {
    const isNamed = next === '?' ? /[a-z_:\u0080-\uffff]/i : /[a-z_:.]/i;
    return isNamed.test(text.charAt(start + 2)) ? after(text, '>', start) : start + 2;
  }
  return LETTER.test(next) ? startTagEnd(text, start + 1) : start;
}

function after(text: string, mark: string, from: number): number {
  const at = text.indexOf(mark, from);
  return at < 0 ? text.length : at + mark.length;
}

function commentEnd(text: string, from: number): number {
  if (text.startsWith('>', from) || text.startsWith('->', from)) return after(text, '>', from);
  return Math.min(after(text, '-->', from), after(text, '--!>', from));
}

/** @param from where the name of the element begins. */
function startTagEnd(text: string, from: number): number {
  const skip = (at: number, what: RegExp) => {
    let place = at;
    while (place < text.length && what.test(text.charAt(place))) place += 1;
    return place;
  };
  let at = skip(from, NAME);
  while (at < text.length && text.charAt(at) !== '>') {
    if (BLANK.test(text.charAt(at))) at += 1;
    else if (/[a-z_:.]/i.test(text.charAt(at))) {
      at = skip(at, NAME);
      const equals = skip(at, BLANK);
      if (text.charAt(equals) !== '=') continue;
      at = skip(equals + 1, BLANK);
      const quote = text.charAt(at);
      at = /["']/.test(quote) ? after(text, quote, at + 1) : skip(at, /[^\s>]/);
    } else at = skip(at, /[^\s>]/);
  }
  return Math.min(at + 1, text.length);
}
