import type { Attributes } from '../../../api/dois.ts';
import type { Finding } from '../../../metadata/check.ts';
import { type Path, pathText } from '../../../text/json-positions.ts';
import type { JsonObject } from '../../../text/json-values.ts';
import { isObject } from '../../../text/json-values.ts';

/**
 * Where an update would take identifiers away that nobody meant to: unless asked otherwise the service spells publishers
 * and affiliations as names alone (observed), so that sending back what was read replaces the objects by their names.
 * @param before the record's attributes, read with publisher and affiliations as objects.
 */
export function lostIdentifiers(before: Attributes, sent: Attributes): readonly Finding[] {
  const known = new Set(
    ['creators', 'contributors'].flatMap((name) =>
      affiliations(before, name).flatMap(([one]) => (hasMore(one) ? [one['name']] : [])),
    ),
  );
  const { publisher } = before;
  const isLost = typeof sent['publisher'] === 'string' && hasMore(publisher);
  return [
    ...(isLost && publisher['name'] === sent['publisher'] ? [finding(['publisher'], sent['publisher'])] : []),
    ...['creators', 'contributors'].flatMap((name) =>
      affiliations(sent, name).flatMap(([one, steps]) =>
        typeof one === 'string' && known.has(one) ? [finding(steps, one)] : [],
      ),
    ),
  ];
}

function finding(steps: Path, value: unknown): Finding {
  return {
    severity: 'error',
    path: pathText(steps),
    steps,
    message:
      'is a name alone, which would take away the identifier that the record has: give an object, as dois get --affiliation prints it',
    value,
  };
}

/** The affiliations of a list of people, each with its path. */
function affiliations(attributes: Attributes, name: string): [unknown, Path][] {
  return listOf(attributes[name]).flatMap((person, index) =>
    listOf(isObject(person) ? person['affiliation'] : undefined).map((one, at): [unknown, Path] => [
      one,
      [name, index, 'affiliation', at],
    ]),
  );
}

/** Whether a publisher or an affiliation holds more than its name. */
function hasMore(value: unknown): value is JsonObject {
  return (
    isObject(value) &&
    Object.entries(value).some(([name, one]) => name !== 'name' && one !== null && one !== '')
  );
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
