import { isNonEmptyString, isObject, type JsonObject, type Path } from '../text/json-values.ts';
import { type Finding, findingAt } from './findings.ts';

/** The texts that the service reads as HTML (service.md, S10). */
const OF_XML: readonly Path[] =
  `subjects.subject titles.title descriptions.description dates.date sizes formats
   relatedItems.titles.title`
    .split(/\s+/)
    .map((path) => path.split('.'));

const KEPT = 'strong em b i code pre sub sup br'.split(' ');

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

/** The parts of a text that are lost if it is read as HTML with a few tags. */
function lostMarkup(text: string): readonly string[] {
  const parts: readonly string[] = text.match(MARKUP) ?? [];
  return parts.filter((part) => !KEPT.includes(TAG.exec(part)?.[1]?.toLowerCase() ?? ''));
}

/** Warnings about texts of XML that the service cuts (service.md, S10). */
export function xmlTextFindings(attributes: JsonObject): readonly Finding[] {
  return OF_XML.flatMap((path) => findingsAt(attributes, path));
}

/** Warnings about texts of JSON that the service cuts: only subjects (service.md, S10). */
export function subjectFindings({ subjects }: JsonObject): readonly Finding[] {
  return findingsAt({ subjects }, ['subjects', 'subject']);
}

function findingsAt(attributes: JsonObject, path: Path): readonly Finding[] {
  return textsAt(attributes, path, []).flatMap(([text, steps]) => {
    const lost = lostMarkup(text);
    if (lost.length === 0) return [];
    const message =
      'would be lost: the service takes it for HTML, of which it keeps only the tags ' +
      `${KEPT.join(', ')}; to keep it as text, write a blank after <`;
    return [findingAt('warning', steps, { message, value: lost.join(' … ') })];
  });
}

/** The texts at a path, in all items of its lists. */
function textsAt(value: unknown, path: Path, steps: Path): (readonly [string, Path])[] {
  if (Array.isArray(value))
    return value.flatMap((item, index) => textsAt(item, path, [...steps, index]));
  const [name, ...more] = path;
  if (name === undefined) return isNonEmptyString(value) ? [[value, steps]] : [];
  return isObject(value) ? textsAt(value[name], more, [...steps, name]) : [];
}
