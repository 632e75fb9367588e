import type { Compared } from '../api/dois.ts';
import {
  isNonEmptyString,
  isObject,
  type JsonObject,
  type Path,
  pathText,
} from '../text/json-values.ts';
import { type Finding, findingAt } from './findings.ts';
import { isStaleXml } from './kernel.ts';
import { rewritten } from './rewriting.ts';
import { ATTRIBUTES, itemsOf, membersOf, mustBe, type SchemaNode, typesOf } from './schema.ts';

const TEXTS: readonly unknown[] = ['string', 'number', 'integer', 'boolean'];

/**
 * The attributes in the form that the service stores, with a finding for each correction: the
 * service would drop an affiliation that is a text (service.md, S1), and accepts a single object as
 * a list (service.md, S5). Other findings are values that it drops for their type (service.md, S3).
 */
export function corrected(attributes: JsonObject): {
  readonly attributes: JsonObject;
  readonly findings: readonly Finding[];
} {
  const corrector = new Corrector();
  const members = corrector.members(attributes, ATTRIBUTES, []);
  const { findings } = corrector;
  const roots = new Set(findings.filter(({ dropped }) => !dropped).map(({ steps }) => steps[0]));
  const entries = Object.entries(attributes).map(([name, value]) => [
    name,
    roots.has(name) ? members[name] : value,
  ]);
  return { attributes: Object.fromEntries(entries) as JsonObject, findings };
}

class Corrector {
  readonly findings: Finding[] = [];

  members(holder: JsonObject, node: SchemaNode, steps: Path): JsonObject {
    const nodes = membersOf(node);
    const members = Object.entries(holder).map(([name, value]) => {
      const member = nodes(name);
      return [name, member ? this.#value(value, member, [...steps, name]) : value];
    });
    return Object.fromEntries(members) as JsonObject;
  }

  #value(value: unknown, node: SchemaNode, steps: Path): unknown {
    const types = typesOf(node);
    if (value === null || value === undefined || node.readOnly || types.length === 0) return value;
    const item = itemsOf(node);
    if (item && typesOf(item).includes('object')) return this.#objects(value, node, item, steps);
    if (item) return this.#texts(value, node, steps);
    if (isObject(value) && types.includes('object')) return this.members(value, node, steps);
    const takesText = types.some((type) => TEXTS.includes(type));
    // A publisher may be a text, but not a number.
    const isText = types.includes('object') ? typeof value === 'string' : typeof value !== 'object';
    // At the top level the service refuses a text instead of an object.
    const isDropped = takesText ? !isText : typeof value !== 'object' && steps.length > 1;
    return isDropped ? this.#drop(value, node, steps) : value;
  }

  /** A list of texts: a single object in it makes the service drop the whole list. */
  #texts(value: unknown, node: SchemaNode, steps: Path): unknown {
    const isNested = (item: unknown) => typeof item === 'object' && item !== null;
    const isList = Array.isArray(value);
    if (isList ? value.some(isNested) : isNested(value)) return this.#drop(value, node, steps);
    if (isList || typesOf(node).includes('string')) return value;
    this.#warn(steps, 'is one text where a list belongs; sent as a list', value);
    return [value];
  }

  #objects(value: unknown, node: SchemaNode, item: SchemaNode, steps: Path): unknown {
    const [name, isTop] = [steps.at(-1), steps.length === 1];
    const correctItem = (entry: unknown, at: Path) => this.#item(entry, item, at, name);
    if (Array.isArray(value))
      return value.map((entry, index) => correctItem(entry, [...steps, index]));
    if (name === 'affiliation' && isNonEmptyString(value)) return [correctItem(value, steps)];
    if (isObject(value)) {
      this.#warn(steps, 'is one object where a list belongs; sent as a list', value);
      return [correctItem(value, steps)];
    }
    if (isTop && typeof value === 'string' && value.trim() === '') {
      this.#warn(steps, 'is blank where a list belongs; sent as an empty list', value);
      return [];
    }
    // At the top level the service refuses most texts (service.md, S3).
    const isAccepted =
      name === 'alternateIdentifiers' || (name === 'subjects' && typeof value !== 'string');
    return isTop && !isAccepted ? value : this.#drop(value, node, steps);
  }

  #item(value: unknown, node: SchemaNode, at: Path, list: unknown): unknown {
    if (isObject(value)) return this.members(value, node, at);
    if (list === 'affiliation' && isNonEmptyString(value)) {
      this.#warn(at, 'is text, which the service would drop; sent as {"name": …}', value);
      return { name: value };
    }
    // A list among alternateIdentifiers makes the service fail.
    const fails = list === 'alternateIdentifiers' && Array.isArray(value);
    return fails ? value : this.#drop(value, node, at);
  }

  #drop(value: unknown, node: SchemaNode, steps: Path): unknown {
    this.findings.push(
      findingAt('warning', steps, { message: mustBe(typesOf(node)), value, dropped: true }),
    );
    return value;
  }

  #warn(steps: Path, message: string, value: unknown): void {
    this.findings.push(findingAt('warning', steps, { message, value }));
  }
}

/** The attributes of a request that the service certainly stores. */
export function storedAttributes(attributes: JsonObject, findings: readonly Finding[]): JsonObject {
  const kept: Record<string, unknown> = {
    ...withoutDropped(corrected(attributes).attributes, findings),
  };
  if (isStaleXml(attributes)) delete kept['xml'];
  const { language } = kept;
  return language === undefined ? kept : { ...kept, ...rewritten({ language }) };
}

/** How a record is compared with the attributes of a request, see {@link rewritten}. */
export function comparisonWith(attributes: JsonObject, findings: readonly Finding[]): Compared {
  const kept = storedAttributes(attributes, findings);
  return (record) => [record, rewritten(kept, record)];
}

/** Attributes without the values that the service drops, according to the findings. */
export function withoutDropped(attributes: JsonObject, findings: readonly Finding[]): JsonObject {
  const dropped = new Set(findings.filter((finding) => finding.dropped).map(({ path }) => path));
  return dropped.size === 0 ? attributes : (keptOf(attributes, [], dropped) as JsonObject);
}

function keptOf(value: unknown, steps: Path, dropped: ReadonlySet<string>): unknown {
  const isKept = (step: string | number) => !dropped.has(pathText([...steps, step]));
  if (Array.isArray(value)) {
    return value.flatMap((item, index) =>
      isKept(index) ? [keptOf(item, [...steps, index], dropped)] : [],
    );
  }
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, member]) =>
      isKept(name) ? [[name, keptOf(member, [...steps, name], dropped)]] : [],
    ),
  );
}
