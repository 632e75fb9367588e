import { isNonEmptyString, isObject, type JsonObject, type Path, pathText } from '../text/json-values.ts';
import { type Finding, findingAt } from './findings.ts';
import { isStaleXml } from './kernel.ts';
import { storedLanguage } from './language.ts';
import { heldOfXml } from './xml-attributes.ts';

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
 * The attributes in the form that the service keeps where it is sure what was meant, with a finding for each
 * correction: it drops an affiliation that is a text (service.md, S1), and some of its lists fail for a
 * single object (service.md, S5).
 */
export function corrected(attributes: JsonObject): {
  readonly attributes: JsonObject;
  readonly findings: readonly Finding[];
} {
  const findings: Finding[] = [];
  const members = correctedMembers(attributes, [], findings);
  const roots = new Set(findings.map(({ steps }) => steps[0]));
  const own = Object.entries(attributes).map(([name, value]) => [
    name,
    roots.has(name) ? members[name] : value,
  ]);
  return { attributes: Object.fromEntries(own) as JsonObject, findings };
}

function correctedMembers(holder: JsonObject, steps: Path, found: Finding[]): JsonObject {
  const members = Object.entries(holder).map(([name, value]) => {
    const at = [...steps, name];
    if (name === 'affiliation' && PEOPLE.includes(steps[0])) return [name, affiliations(value, at, found)];
    const isOne = LISTS.has(name) ? isObject(value) : LISTS_OF_TEXT.has(name) && isNonEmptyString(value);
    if (!isOne) return [name, correctedItems(value, at, found)];
    found.push(listFinding(value, at));
    return [name, [correctedItem(value, at, found)]];
  });
  return Object.fromEntries(members) as JsonObject;
}

function correctedItems(value: unknown, steps: Path, found: Finding[]): unknown {
  if (!Array.isArray(value) || steps.length > MAX_DEPTH) return value;
  return value.map((item, index) => correctedItem(item, [...steps, index], found));
}

function correctedItem(item: unknown, steps: Path, found: Finding[]): unknown {
  return isObject(item) ? correctedMembers(item, steps, found) : item;
}

function affiliations(value: unknown, steps: Path, found: Finding[]): unknown {
  const named = (item: unknown, at: Path) => {
    if (!isNonEmptyString(item)) return item;
    const message = 'is text, which the service would drop; sent as {"name": …}';
    found.push(findingAt('warning', at, { message, value: item }));
    return { name: item };
  };
  if (Array.isArray(value)) return value.map((item, index) => named(item, [...steps, index]));
  if (isNonEmptyString(value)) return [named(value, steps)];
  if (!isObject(value)) return value;
  found.push(listFinding(value, steps));
  return [value];
}

function listFinding(value: unknown, steps: Path): Finding {
  const message = `is ${isObject(value) ? 'one object' : 'one text'} where a list belongs; sent as a list`;
  return findingAt('warning', steps, { message, value });
}

/**
 * What the service holds of the attributes that a request sends, as far as that is certain: without what it
 * drops, with corrections carried out, and with a language as its code.
 */
export function heldAttributes(attributes: JsonObject, findings: readonly Finding[]): JsonObject {
  const dropped = new Set(findings.filter((finding) => finding.dropped).map(({ path }) => path));
  const kept = keptOf(corrected(attributes).attributes, [], dropped) as Record<string, unknown>;
  if (isStaleXml(attributes)) delete kept['xml'];
  else if (kept['xml'] !== undefined) Object.assign(kept, { ...heldOfXml(attributes), ...kept });
  const { language } = kept;
  if (typeof language === 'string') kept['language'] = storedLanguage(language) ?? language;
  return kept;
}

function keptOf(value: unknown, steps: Path, dropped: ReadonlySet<string>): unknown {
  const isKept = (step: string | number) => !dropped.has(pathText([...steps, step]));
  if (Array.isArray(value)) {
    return value.flatMap((item, index) => (isKept(index) ? [keptOf(item, [...steps, index], dropped)] : []));
  }
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, member]) =>
      isKept(name) ? [[name, keptOf(member, [...steps, name], dropped)]] : [],
    ),
  );
}
