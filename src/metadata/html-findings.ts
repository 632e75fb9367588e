import { isNonEmptyString, isObject, type JsonObject, type Path } from '../text/json-values.ts';
import { type Finding, findingAt } from './findings.ts';
import { KEPT_TAGS, lostMarkup } from './html.ts';

/** The texts that the service reads as HTML (service.md, S10). */
const OF_XML: readonly Path[] =
  `subjects.subject titles.title descriptions.description dates.date sizes formats
   relatedItems.titles.title`
    .split(/\s+/)
    .map((path) => path.split('.'));

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
      `${KEPT_TAGS.join(', ')}; to keep it as text, write a blank after <`;
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
