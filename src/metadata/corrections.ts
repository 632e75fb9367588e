import type { Edit } from '../text/json-edits.ts';
import { type JsonPosition, type Path, positionAt } from '../text/json-positions.ts';
import { isNonEmptyString, isObject, type JsonObject } from '../text/json-values.ts';
import { type Finding, findingAt } from './findings.ts';

/** A value that is sent in another form than it was written in: with text around it. */
interface Correction {
  /** The path of the value as it was written. */
  readonly steps: Path;
  readonly before: string;
  readonly after: string;
  /** What it says about the value. */
  readonly finding: Finding;
}

// Lists that are often written as the one item that they hold.
const LISTS: ReadonlySet<string> = new Set([
  ...['creators', 'contributors', 'titles', 'subjects', 'dates', 'identifiers', 'alternateIdentifiers'],
  ...['relatedIdentifiers', 'relatedItems', 'rightsList', 'descriptions', 'geoLocations'],
  ...['fundingReferences', 'nameIdentifiers'],
]);
const LISTS_OF_TEXT: ReadonlySet<string> = new Set(['sizes', 'formats']);
const PEOPLE: readonly unknown[] = ['creators', 'contributors'];
// Deep enough for the names of the creators of a related item.
const MAX_DEPTH = 4;

/**
 * The attributes in the form that the service keeps where it is sure what was meant: it drops an affiliation
 * that is a text (service.md, S1), and some of its lists fail for a single object (service.md, S5).
 */
export function corrected(attributes: JsonObject): {
  readonly attributes: JsonObject;
  readonly corrections: readonly Correction[];
} {
  const corrections: Correction[] = [];
  return { attributes: correctedMembers(attributes, [], corrections), corrections };
}

/** The edits that carry out corrections of the values at a path of JSON text. */
export function editsOf(
  corrections: readonly Correction[],
  positions: JsonPosition,
  at: Path,
): readonly Edit[] {
  return corrections.flatMap(({ steps, before, after }) => {
    const position = positionAt(positions, [...at, ...steps]);
    if (position === undefined) return [];
    const { start, end } = position;
    return [
      { start, end: start, text: before },
      { start: end, end, text: after },
    ];
  });
}

function correctedMembers(holder: JsonObject, steps: Path, found: Correction[]): JsonObject {
  const members = Object.entries(holder).map(([name, value]) => {
    const at = [...steps, name];
    if (name === 'affiliation' && PEOPLE.includes(steps[0])) return [name, affiliations(value, at, found)];
    const isOne = LISTS.has(name) ? isObject(value) : LISTS_OF_TEXT.has(name) && isNonEmptyString(value);
    if (!isOne) return [name, correctedItems(value, at, found)];
    found.push(wrapped(value, at));
    return [name, [correctedItem(value, at, found)]];
  });
  return Object.fromEntries(members) as JsonObject;
}

function correctedItems(value: unknown, steps: Path, found: Correction[]): unknown {
  if (!Array.isArray(value) || steps.length > MAX_DEPTH) return value;
  return value.map((item, index) => correctedItem(item, [...steps, index], found));
}

function correctedItem(item: unknown, steps: Path, found: Correction[]): unknown {
  return isObject(item) ? correctedMembers(item, steps, found) : item;
}

function affiliations(value: unknown, steps: Path, found: Correction[]): unknown {
  const named = (item: unknown, at: Path, [before, after] = ['{"name":', '}']) => {
    if (!isNonEmptyString(item)) return item;
    const message = 'is text, which the service would drop; sent as {"name": …}';
    const finding = findingAt('warning', at, { message, value: item });
    found.push({ steps: at, before, after, finding });
    return { name: item };
  };
  if (Array.isArray(value)) return value.map((item, index) => named(item, [...steps, index]));
  if (isNonEmptyString(value)) return [named(value, steps, ['[{"name":', '}]'])];
  if (!isObject(value)) return value;
  found.push(wrapped(value, steps));
  return [value];
}

function wrapped(value: unknown, steps: Path): Correction {
  const what = isObject(value) ? 'one object' : 'one text';
  const finding = findingAt('warning', steps, {
    message: `is ${what} where a list belongs; sent as a list`,
    value,
  });
  return { steps, before: '[', after: ']', finding };
}
