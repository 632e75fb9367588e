import references from './schema/html-references.json' with { type: 'json' };

/** The tags that the service keeps in a text that it reads as HTML (service.md, S10). */
export const KEPT_TAGS: readonly string[] = 'strong em b i code pre sub sup br'.split(' ');

// A parser of HTML takes these for comments, instructions and tags, which may lack their ends. A
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

/** The parts of a text that are lost if it is read as HTML with a few tags. */
export function lostMarkup(text: string): readonly string[] {
  const parts: readonly string[] = text.match(MARKUP) ?? [];
  return parts.filter((part) => keptName(part) === undefined);
}

const REFERENCE = /&(?:([a-z]\w*)|#(\d+)|#x([\da-f]+));|[&<>]/gi;
const ESCAPED: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };
/** The characters of the names that HTML 4 defines, and `apos`. */
const CHARACTERS: ReadonlyMap<string, string> = new Map(Object.entries(references));

/**
 * A text as the service reads and writes it as HTML: with a few tags, without others, and without
 * superfluous blanks (service.md, W24).
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
  const isNumber = (code: number) => code > 0 && code <= 0x10_ff_ff;
  return html.replace(REFERENCE, (whole, name?: string, decimal?: string, hex?: string) => {
    const code = decimal === undefined ? Number.parseInt(hex ?? '', 16) : Number(decimal);
    const numbered = isNumber(code) ? String.fromCodePoint(code) : undefined;
    const character = (name === undefined ? numbered : CHARACTERS.get(name)) ?? whole;
    return character.replace(/[&<>]/g, (each) => ESCAPED[each] ?? each);
  });
}
