import { closest } from '../text/closest.ts';
import type { Path } from '../text/json-values.ts';
import { type Finding, findingAt, UNKNOWN_PROPERTY } from './findings.ts';
import { FORMATS, type Format } from './formats.ts';
import { type SchemaError, validators } from './schema/attributes.js';
import schema from './schema/datacite-4.7.json' with { type: 'json' };
// The additions of each version of the schema (service.md, S2).
import since from './schema/since.json' with { type: 'json' };

const { $defs: DEFS } = schema;

/** The versions of the schema that records are checked against. */
export type SchemaVersion = '4.6' | '4.7';

const { v46, v47 } = validators(
  Object.fromEntries(
    Object.entries(FORMATS).map(([name, problem]) => [
      name,
      (text: string) => problem(text) === undefined,
    ]),
  ),
);

// The service and its XML Schema accept an object without these members (service.md, S4).
const OPTIONAL_MEMBERS: ReadonlySet<unknown> = new Set(
  `title name nameIdentifier nameIdentifierScheme subject date dateType description
   descriptionType identifier identifierType relatedIdentifier`.split(/\s+/),
);

/**
 * Checks attributes against the schema.
 * @param isAccepted whether a wrong or missing value at a path is only a warning.
 */
export function schemaFindings(
  attributes: unknown,
  version: SchemaVersion,
  isAccepted: (steps: Path) => boolean,
): readonly Finding[] {
  const validate = version === '4.7' ? v47 : v46;
  if (validate(attributes)) return [];
  return (validate.errors ?? []).flatMap((error) => {
    // An `if` error only announces the errors of its branch.
    if (error.keyword === 'if') return [];
    const { isMild = false, ...problem } = explained(error);
    const details = { ...problem, ...(isDropped(error, version) ? { dropped: true } : {}) };
    const steps = pathOf(attributes, error);
    const isWarned =
      isMild || isWarning(error, details) || (error.keyword !== 'type' && isAccepted(steps));
    return findingAt(isWarned ? 'warning' : 'error', steps, details);
  });
}

/** The values that the draft adds, after the first value of the list of Schema 4.7. */
const ADDED = Object.entries(since['4.8'].values).map(
  ([list, values]) =>
    [DEFS[list as keyof (typeof since)['4.8']['values']].enum[0], values] as const,
);

/** What is wrong with a value; `isMild`: a later version of the schema allows it. */
export type ValueProblem = Pick<Finding, 'message' | 'value' | 'allowed' | 'suggestion'> & {
  readonly isMild?: boolean;
};

/** The problem of a value that its controlled list lacks (service.md, S2). */
export function notInList(value: unknown, allowed: readonly string[]): ValueProblem {
  const isOfDraft = ADDED.some(
    ([first, values]) => allowed.includes(first ?? '') && values.includes(String(value)),
  );
  if (isOfDraft) {
    const message = 'is of Metadata Schema 4.8, which the service may not take yet';
    return { message, value, isMild: true };
  }
  const suggestion = typeof value === 'string' ? closest(value, allowed) : undefined;
  return { message: 'is not in the controlled list', value, allowed, suggestion };
}

/** The service drops properties that are not in Schema 4.7 (service.md, S1). */
function isDropped({ keyword, params }: SchemaError, version: SchemaVersion): boolean {
  if (keyword !== 'additionalProperties') return false;
  return version === '4.7' || params['additionalProperty'] !== since['4.7'].property;
}

function isWarning(error: SchemaError, { dropped = false }: Pick<Finding, 'dropped'>): boolean {
  const { keyword, params, parentSchema } = error;
  const { $comment: comment } = (parentSchema ?? {}) as { $comment?: string };
  // A comment in the schema lists the keywords that the service does not check.
  const unchecked = comment?.startsWith('taken: ')
    ? comment.slice('taken: '.length).split(', ')
    : [];
  return (
    dropped ||
    unchecked.includes(keyword) ||
    isAcceptedAsText(error) ||
    isReadOnly(error) ||
    (keyword === 'required' && OPTIONAL_MEMBERS.has(params['missingProperty']))
  );
}

/** The service never reads attributes that only it writes (service.md, W15). */
function isReadOnly({ instancePath }: SchemaError): boolean {
  return membersOf(ATTRIBUTES)(instancePath.split('/')[1] ?? '')?.readOnly === true;
}

// The service refuses numbers here: the values go to XML attributes, database columns, or code that
// accepts only texts.
const TEXT_ONLY = [
  /^\/(doi|prefix|suffix|url|xml|event|language)$|^\/publisher\/|\/rights(Identifier)?$/,
  /\/(titles|subjects|descriptions|rightsList)\/\d+\/lang$/,
];

/** Whether the service accepts a number as text, or a text as a list (service.md, S3, S4). */
function isAcceptedAsText({ keyword, params, data, instancePath }: SchemaError): boolean {
  if (keyword !== 'type') return false;
  if (typeof data === 'string') return ['/subjects', '/rightsList'].includes(instancePath);
  const types = [params['type']].flat();
  if (!types.includes('string')) return false;
  if (TEXT_ONLY.some((pattern) => pattern.test(instancePath))) return false;
  return (
    typeof data === 'number' ||
    (typeof data === 'boolean' && !types.includes('integer') && !types.includes('number'))
  );
}

function pathOf(attributes: unknown, { instancePath, params }: SchemaError): Path {
  const steps: (string | number)[] = [];
  let value = attributes;
  for (const part of instancePath.split('/').slice(1)) {
    const name = part.replaceAll('~1', '/').replaceAll('~0', '~');
    steps.push(Array.isArray(value) ? Number(name) : name);
    value = (value as Record<string, unknown> | undefined)?.[name];
  }
  const property = params['missingProperty'] ?? params['additionalProperty'];
  return typeof property === 'string' ? [...steps, property] : steps;
}

const TYPES: Readonly<Record<string, string>> = {
  string: 'text',
  number: 'a number',
  integer: 'a whole number',
  array: 'a list',
  object: 'an object',
  boolean: 'true or false',
};

/** The message about a value that has none of these JSON types. */
export function mustBe(types: readonly string[]): string {
  const nouns = types.filter((type) => type !== 'null').map((type) => TYPES[type] ?? type);
  return `must be ${nouns.join(' or ')}`;
}

function writable(properties: unknown): readonly string[] {
  return Object.entries((properties ?? {}) as Record<string, { readOnly?: boolean }>)
    .filter(([, { readOnly }]) => readOnly !== true)
    .map(([name]) => name);
}

function explained(error: SchemaError): ValueProblem {
  const { keyword, params, data: value, parentSchema } = error;
  switch (keyword) {
    case 'required':
      return { message: 'is missing' };
    case 'additionalProperties': {
      const name = String(params['additionalProperty']);
      return {
        message: UNKNOWN_PROPERTY,
        value: (value as Record<string, unknown>)[name],
        suggestion: closest(name, writable(parentSchema?.['properties'])),
      };
    }
    case 'enum': {
      const allowed = (params['allowedValues'] as unknown[]).filter(
        (allowedValue) => typeof allowedValue === 'string',
      );
      return notInList(value, allowed);
    }
    case 'type': {
      return { message: mustBe([params['type']].flat().map(String)), value };
    }
    case 'format':
      return {
        message: FORMATS[params['format'] as Format]?.(String(value)) ?? 'is malformed',
        value,
      };
    case 'minimum':
      return { message: `must be at least ${params['limit']}`, value };
    case 'maximum':
      return { message: `must be at most ${params['limit']}`, value };
    case 'minItems':
      return { message: `needs at least ${params['limit']} items`, value };
    case 'maxLength':
      return { message: `has more than ${params['limit']} characters` };
    case 'not':
      return { message: 'must not be null' };
    case 'minLength':
    case 'minProperties':
      return { message: 'must not be empty', value };
    default: {
      if (params['pattern'] === '\\S') return { message: 'must not be blank', value };
      const { format } = (parentSchema ?? {}) as { format?: Format };
      const problem = format && FORMATS[format]?.(String(value));
      if (problem) return { message: problem, value };
      const what: unknown = parentSchema?.['description'];
      const message =
        typeof what === 'string'
          ? `is not ${what.charAt(0).toLowerCase()}${what.slice(1)}`
          : 'does not have the required form';
      return { message, value };
    }
  }
}

/** A part of the schema. */
export interface SchemaNode {
  readonly $ref?: string;
  readonly enum?: readonly unknown[];
  readonly type?: string | readonly string[];
  readonly properties?: Readonly<Record<string, SchemaNode>>;
  readonly items?: SchemaNode;
  readonly readOnly?: boolean;
}

/** The schema of the attributes of a record. */
export const ATTRIBUTES: SchemaNode = DEFS.attributes;

/** The JSON types of a part. Controlled lists contain texts. */
export const typesOf = oncePerNode(({ type, enum: list }): readonly string[] =>
  [type ?? (list === undefined ? [] : ['string', 'null'])].flat(),
);

/** Caches a function of a part of the schema: each record needs the same results. */
function oncePerNode<Result>(of: (node: SchemaNode) => Result): (node: SchemaNode) => Result {
  const known = new WeakMap<SchemaNode, Result>();
  return (node) => {
    let result = known.get(node);
    if (result === undefined) {
      result = of(node);
      known.set(node, result);
    }
    return result;
  };
}

/** Returns the part of a member by name; undefined for an unknown name. */
export function membersOf({
  properties = {},
}: SchemaNode): (name: string) => SchemaNode | undefined {
  return (name) => (Object.hasOwn(properties, name) ? dereferenced(properties[name]) : undefined);
}

/** The part for the items of a list. */
export function itemsOf({
  items,
  else: other,
}: SchemaNode & { else?: SchemaNode }): SchemaNode | undefined {
  return dereferenced(items ?? other?.items);
}

/** The JSON types at a path below the attributes; empty for an unknown path. */
export function typesAt(path: Path): readonly string[] {
  return typesOf(walked(path).node ?? {});
}

/** A path in the letter case of the schema: `titles` for `Titles`. Unknown names are kept. */
export function spelledPath(path: Path): Path {
  return walked(path).names;
}

function walked(path: Path): { readonly node: SchemaNode | undefined; readonly names: Path } {
  let node: SchemaNode | undefined = ATTRIBUTES;
  const names = path.map((step) => {
    const known: readonly string[] = Object.keys(node?.properties ?? {});
    const isNamed = (name: string) => name.toLowerCase() === String(step).toLowerCase();
    const name = known.includes(String(step)) ? step : (known.find(isNamed) ?? step);
    node = node && (typeof step === 'number' ? itemsOf(node) : membersOf(node)(String(name)));
    return name;
  });
  return { node, names };
}

function dereferenced(node: SchemaNode | undefined): SchemaNode | undefined {
  return node?.$ref === undefined ? node : resolved(node);
}

const resolved = oncePerNode((node): SchemaNode => {
  const defs: Readonly<Record<string, unknown>> = DEFS;
  const name = node.$ref?.replace('#/$defs/', '') ?? '';
  return { ...(defs[name] as SchemaNode), readOnly: node.readOnly === true };
});
