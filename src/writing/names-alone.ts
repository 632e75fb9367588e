import type { Attributes } from '../api/dois.ts';
import { type Finding, findingAt } from '../metadata/findings.ts';
import { isObject, type JsonObject, listOf, type Path, valueAt } from '../text/json-values.ts';

const NAME_ALONE =
  'is a name alone and would remove the stored identifier: write an object, as dois get prints it';

/**
 * Errors for names alone, as in records that were read with names (service.md, F9): sending them
 * removes identifiers (service.md, S1). A different name means another organization, so it is only
 * a warning.
 */
export function nameFindings(before: Attributes, sent: Attributes): readonly Finding[] {
  const known = new Set(
    affiliations(before).flatMap(([affiliation]) =>
      hasMore(affiliation) ? [affiliation['name']] : [],
    ),
  );
  const places = affiliations(sent);
  const kept = places.map(([value]) => valueAt(value, ['name']));
  return [[sent['publisher'], ['publisher']] as const, ...places].flatMap(([value, steps]) => {
    if (typeof value !== 'string') return [];
    const stored = valueAt(before, steps);
    const name = hasMore(stored) ? stored['name'] : undefined;
    if (name === value || (steps.length > 1 && known.has(value)))
      return [findingAt('error', steps, { message: NAME_ALONE, value })];
    if (name === undefined || kept.includes(name)) return [];
    const message = `is another name alone: the identifier of ${JSON.stringify(name)} is removed`;
    return [findingAt('warning', steps, { message, value })];
  });
}

function affiliations(attributes: Attributes): [unknown, Path][] {
  return ['creators', 'contributors'].flatMap((name) =>
    listOf(attributes[name]).flatMap((person, index) =>
      listOf(isObject(person) ? person['affiliation'] : undefined).map(
        (affiliation, at): [unknown, Path] => [affiliation, [name, index, 'affiliation', at]],
      ),
    ),
  );
}

function hasMore(value: unknown): value is JsonObject {
  return (
    isObject(value) &&
    Object.entries(value).some(
      ([name, member]) => name !== 'name' && member !== null && member !== '',
    )
  );
}
