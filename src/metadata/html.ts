import type { Path } from '../text/json-values.ts';
import { type Finding, findingAt } from './findings.ts';
import references from './schema/html-references.json' with { type: 'json' };

/** The tags that the service keeps in a text that it reads as HTML (service.md, S10). */
const KEPT_TAGS: readonly string[] = 'strong em b i code pre sub sup br'.split(' ');

// What a parser of HTML treats as comments, instructions and tags, even without their ends. A
// quoted value of an attribute may contain `>`.
const VALUE = String.raw`\s*=\s*(?:"[^"]*(?:"|$)|'[^']*(?:'|$)|[^\s>]*)`;
const ATTRIBUTES = String.raw`(?:\s|[a-z_:.][\w:.-]*(?:${VALUE})?|[^\s>a-z_:.][^\s>]*)*`;
const MARKUP = new RegExp(
  String.raw`<!--(?:-?>|[\s\S]*?(?:--!?>|$))|<![^>]*>?|<\?(?:[a-z_:\x80-\uffff][^>]*>?)?` +
    String.raw`|</(?:[a-z_:.][^>]*>?)?|<[a-z][\w:.-]*${ATTRIBUTES}>?`,
  'gi',
);
const TAG = /^<\/?([a-z][\w:.-]*)(?:\s+[a-z][\w:.-]*\s*=\s*(?:"[^"]*"|'[^']*'))*\s*\/?>$/i;

/** The name of a tag that is kept, in lower case; undefined for other markup. */
function keptName(markup: string): string | undefined {
  const name = TAG.exec(markup)?.[1]?.toLowerCase();
  return name !== undefined && KEPT_TAGS.includes(name) ? name : undefined;
}

const REFERENCE = /&(?:([a-z]\w*)|#(\d+)|#x([\da-f]+));|[&<>]/gi;
const ESCAPED: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };
/** The characters of the named entities of HTML 4, and `apos`. */
const CHARACTERS: ReadonlyMap<string, string> = new Map(Object.entries(references));

/**
 * A text after the service has read and written it as HTML: only a few tags are kept, and
 * superfluous blanks are removed (service.md, W24).
 */
export function htmlText(html: string): string {
  const open: string[] = [];
  const closed = (names: readonly string[]) =>
    names
      .toReversed()
      .map((name) => `</${name}>`)
      .join('');
  let written = '';
  let end = 0;
  for (const { 0: markup, index } of html.matchAll(MARKUP)) {
    const name = keptName(markup);
    written += asText(html.slice(end, index));
    if (name !== undefined && markup.startsWith('</')) {
      if (open.includes(name)) written += closed(open.splice(open.lastIndexOf(name)));
    } else if (name === 'br') written += '<br>';
    else if (name !== undefined) {
      written += /\s\w/.test(markup) ? markup : `<${name}>`;
      open.push(name);
    }
    end = index + markup.length;
  }
  written += asText(html.slice(end)) + closed(open);
  return written.replace(/\s+/g, ' ').trim();
}

function asText(html: string): string {
  return html.replace(REFERENCE, (whole, ...parts: (string | undefined)[]) => {
    const character = characterOf(...parts) ?? whole;
    return character.replace(/[&<>]/g, (each) => ESCAPED[each] ?? each);
  });
}

/** The character of a reference; undefined for an unknown one. */
function characterOf(name?: string, decimal?: string, hex?: string): string | undefined {
  if (name !== undefined) return CHARACTERS.get(name);
  const code = decimal === undefined ? Number.parseInt(hex ?? '', 16) : Number(decimal);
  return code > 0 && code <= 0x10_ff_ff ? String.fromCodePoint(code) : undefined;
}

/** The letters with an accent among the names of HTML 5, such as `ccaron`. */
const LETTER = /^[a-z]{1,2}(?:acute|breve|caron|cedil|dblac|dot|grave|macr|ogon|ring|strok)$/i;

/** The texts that the service reads as HTML where they come from XML (service.md, S10). */
const OF_XML: ReadonlySet<string> = new Set(
  `subjects.subject titles.title descriptions.description dates.date sizes formats
   relatedItems.titles.title`.split(/\s+/),
);

/**
 * Warnings about a text of JSON with HTML: parts that the service removes from subjects, and
 * references that it stores as they stand (service.md, S10). A text with tags is HTML.
 */
export function htmlFindings(value: string, steps: Path): Finding[] {
  if (!/[&<]/.test(value)) return [];
  const names = steps.filter((step) => typeof step === 'string').join('.');
  if (names === 'subjects.subject') return lostFindings(value, steps);
  if (/<\/?[a-z]/i.test(value)) return [];
  const wrong = [...value.matchAll(REFERENCE)].find(([reference, name = '', ...codes]) => {
    // The service writes these itself, so that a record that was read contains them.
    if (reference.length === 1 || (OF_XML.has(names) && /^&(?:amp|lt|gt);$/.test(reference)))
      return false;
    return name === '' || characterOf(name, ...codes) !== undefined || LETTER.test(name);
  });
  if (wrong === undefined) return [];
  const [reference, ...parts] = wrong;
  const character = characterOf(...parts);
  const meant = character === undefined ? '' : ` for "${character}"`;
  const message = `holds "${reference}"${meant}: HTML, which is stored as it stands`;
  const plain = value.replace(REFERENCE, (whole, ...all) => characterOf(...all) ?? whole);
  const suggestion = character === undefined ? undefined : plain;
  return [findingAt('warning', steps, { message, value, suggestion })];
}

function lostFindings(text: string, steps: Path): Finding[] {
  const lost = (text.match(MARKUP) ?? []).filter((part) => keptName(part) === undefined);
  if (lost.length === 0) return [];
  const message =
    'would be lost: the service takes it for HTML, of which it keeps only the tags ' +
    `${KEPT_TAGS.join(', ')}; to keep it as text, write a blank after <`;
  return [findingAt('warning', steps, { message, value: lost.join(' … ') })];
}
