import { isNonEmptyString, isObject, type JsonObject, type Path, pathText } from '../text/json-values.ts';
import { type Finding, findingAt } from './findings.ts';
import { isStaleXml } from './kernel.ts';
import { storedLanguage } from './language.ts';
import { ATTRIBUTES, itemsOf, membersOf, mustBe, type SchemaNode, typesOf } from './schema.ts';
import { heldOfXml } from './xml-attributes.ts';

const TEXTS: readonly unknown[] = ['string', 'number', 'integer', 'boolean'];
const PEOPLE: readonly unknown[] = ['creators', 'contributors'];

/**
 * The attributes in the form that the service keeps where it is sure what was meant, with a finding for each
 * correction: it drops an affiliation that is a text (service.md, S1), and some of its lists fail for a
 * single object (service.md, S5). Findings also name, as dropped, the values of another type than their place
 * has, which the service drops (service.md, S3); they stay in the attributes.
 */
export function corrected(attributes: JsonObject): {
  readonly attributes: JsonObject;
  readonly findings: readonly Finding[];
} {
  const findings: Finding[] = [];
  const members = correctedMembers(attributes, ATTRIBUTES, [], findings);
  const roots = new Set(findings.filter(({ dropped }) => !dropped).map(({ steps }) => steps[0]));
  const own = Object.entries(attributes).map(([name, value]) => [
    name,
    roots.has(name) ? members[name] : value,
  ]);
  return { attributes: Object.fromEntries(own) as JsonObject, findings };
}

function correctedMembers(holder: JsonObject, node: SchemaNode, steps: Path, found: Finding[]): JsonObject {
  const nodes = membersOf(node);
  const members = Object.entries(holder).map(([name, value]) => {
    const member = nodes(name);
    return [name, member ? correctedValue(value, member, [...steps, name], found) : value];
  });
  return Object.fromEntries(members) as JsonObject;
}

function correctedValue(value: unknown, node: SchemaNode, steps: Path, found: Finding[]): unknown {
  const types = typesOf(node);
  if (value === null || value === undefined || node.readOnly || types.length === 0) return value;
  const item = itemsOf(node);
  if (item !== undefined) {
    const correct = typesOf(item).includes('object') ? correctedObjects : correctedTexts;
    return correct(value, node, item, steps, found);
  }
  if (isObject(value) && types.includes('object')) return correctedMembers(value, node, steps, found);
  const takesText = types.some((type) => TEXTS.includes(type));
  // A publisher that is a number is none.
  const isText = types.includes('object') ? typeof value === 'string' : typeof value !== 'object';
  // At the top the service refuses a text in the place of an object, and a list there fails everywhere.
  if (takesText ? !isText : typeof value !== 'object' && steps.length > 1) drop(value, node, steps, found);
  return value;
}

/** A list of texts: one object in it makes the service drop the whole list. */
function correctedTexts(
  value: unknown,
  node: SchemaNode,
  item: SchemaNode,
  steps: Path,
  found: Finding[],
): unknown {
  const isNested = (one: unknown) => typeof one === 'object' && one !== null;
  if (Array.isArray(value)) {
    if (value.some(isNested)) drop(value, item, steps, found);
    return value;
  }
  if (isNested(value)) drop(value, node, steps, found);
  if (isNested(value) || typesOf(node).includes('string')) return value;
  found.push(warning(steps, 'is one text where a list belongs; sent as a list', value));
  return [value];
}

function correctedObjects(
  value: unknown,
  node: SchemaNode,
  item: SchemaNode,
  steps: Path,
  found: Finding[],
): unknown {
  const name = steps.at(-1);
  const isAffiliation = name === 'affiliation' && PEOPLE.includes(steps[0]);
  const corrected = (one: unknown, at: Path) => {
    if (isObject(one)) return correctedMembers(one, item, at, found);
    if (isAffiliation && isNonEmptyString(one)) {
      found.push(warning(at, 'is text, which the service would drop; sent as {"name": …}', one));
      return { name: one };
    }
    // A list among alternateIdentifiers makes the service fail.
    if (name !== 'alternateIdentifiers' || !Array.isArray(one)) drop(one, item, at, found);
    return one;
  };
  if (Array.isArray(value)) return value.map((one, index) => corrected(one, [...steps, index]));
  if (isAffiliation && isNonEmptyString(value)) return [corrected(value, steps)];
  if (isObject(value)) {
    found.push(warning(steps, 'is one object where a list belongs; sent as a list', value));
    return [corrected(value, steps)];
  }
  const isTop = steps.length === 1;
  if (isTop && typeof value === 'string' && value.trim() === '') {
    found.push(warning(steps, 'is blank where a list belongs; sent as an empty list', value));
    return [];
  }
  // At the top the service refuses most texts (service.md, S3).
  const isRefused =
    isTop && name !== 'alternateIdentifiers' && !(name === 'subjects' && typeof value !== 'string');
  if (!isRefused) drop(value, node, steps, found);
  return value;
}

function drop(value: unknown, node: SchemaNode, steps: Path, found: Finding[]): void {
  found.push(findingAt('warning', steps, { message: mustBe(typesOf(node)), value, dropped: true }));
}

function warning(steps: Path, message: string, value: unknown): Finding {
  return findingAt('warning', steps, { message, value });
}

/**
 * What the service holds of the attributes that a request sends, as far as that is certain: without what it
 * drops, with corrections carried out, and with a language as its code.
 */
export function heldAttributes(attributes: JsonObject, findings: readonly Finding[]): JsonObject {
  const kept: Record<string, unknown> = { ...withoutDropped(corrected(attributes).attributes, findings) };
  if (isStaleXml(attributes)) delete kept['xml'];
  else if (kept['xml'] !== undefined) Object.assign(kept, { ...heldOfXml(attributes), ...kept });
  const { language } = kept;
  if (typeof language === 'string') kept['language'] = storedLanguage(language) ?? language;
  return kept;
}

/** Attributes without what the service drops of them, as findings say. */
export function withoutDropped(attributes: JsonObject, findings: readonly Finding[]): JsonObject {
  const dropped = new Set(findings.filter((finding) => finding.dropped).map(({ path }) => path));
  return dropped.size === 0 ? attributes : (keptOf(attributes, [], dropped) as JsonObject);
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
