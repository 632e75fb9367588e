import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';
import { distance } from 'fastest-levenshtein';
import type { Path } from '../text/json-positions.ts';
import { type Finding, findingAt, type Severity } from './findings.ts';
import { FORMATS, type Format } from './formats.ts';
import schema from './schema/datacite-4.6.json' with { type: 'json' };

let compiled: ValidateFunction | undefined;

/** Compiled on first use: it takes about 30 ms. */
function validator(): ValidateFunction {
  if (compiled !== undefined) return compiled;
  const ajv = new Ajv2020({
    allErrors: true,
    verbose: true,
    strict: false,
    messages: false,
    // A test validates the schema; here it would only cost time.
    validateSchema: false,
    inlineRefs: false,
  });
  for (const [name, problem] of Object.entries(FORMATS)) {
    ajv.addFormat(name, (text: string) => problem(text) === undefined);
  }
  ajv.addSchema(schema, 'datacite');
  compiled = ajv.compile({ $ref: 'datacite#/$defs/attributes' });
  return compiled;
}

/**
 * Checks attributes against the schema, which is the same for all states.
 * @param missing the severity of a missing member of an object.
 */
export function schemaFindings(attributes: unknown, missing: Severity): readonly Finding[] {
  const validate = validator();
  if (validate(attributes)) return [];
  return (validate.errors ?? []).flatMap((error) => {
    // It only announces the errors of its branch.
    if (error.keyword === 'if') return [];
    const { keyword, params } = error;
    // The schema requires URIs; the service accepts any text.
    const lenient = keyword === 'format' && params['format'] === 'uri';
    const severity = keyword === 'required' ? missing : lenient ? 'warning' : 'error';
    return findingAt(severity, pathOf(attributes, error), explained(error));
  });
}

/** The path of the invalid value, or of the missing or unknown property. */
function pathOf(attributes: unknown, { instancePath, params }: ErrorObject): Path {
  const steps: (string | number)[] = [];
  let value = attributes;
  for (const part of instancePath.split('/').slice(1)) {
    const name = part.replaceAll('~1', '/').replaceAll('~0', '~');
    steps.push(Array.isArray(value) ? Number(name) : name);
    value = (value as Record<string, unknown> | undefined)?.[name];
  }
  const own = params['missingProperty'] ?? params['additionalProperty'];
  return typeof own === 'string' ? [...steps, own] : steps;
}

const TYPES: Readonly<Record<string, string>> = {
  string: 'text',
  number: 'a number',
  integer: 'a whole number',
  array: 'a list',
  object: 'an object',
  boolean: 'true or false',
};

/** The names of the properties that are not read-only. */
function writable(properties: unknown): readonly string[] {
  return Object.entries((properties ?? {}) as Record<string, { readOnly?: boolean }>)
    .filter(([, { readOnly }]) => readOnly !== true)
    .map(([name]) => name);
}

function explained(error: ErrorObject): Pick<Finding, 'message' | 'value' | 'allowed' | 'suggestion'> {
  const { keyword, params, data: value, parentSchema } = error;
  switch (keyword) {
    case 'required':
      return { message: 'is missing' };
    case 'additionalProperties': {
      const name = String(params['additionalProperty']);
      return {
        message: 'is not a property of the schema',
        value: (value as Record<string, unknown>)[name],
        suggestion: closest(name, writable(parentSchema?.['properties'])),
      };
    }
    case 'enum': {
      const allowed = (params['allowedValues'] as unknown[]).filter((one) => typeof one === 'string');
      const suggestion = typeof value === 'string' ? closest(value, allowed) : undefined;
      return { message: 'is not in the controlled list', value, allowed, suggestion };
    }
    case 'type': {
      const types = [params['type']].flat().filter((type) => type !== 'null');
      return { message: `must be ${types.map((type) => TYPES[String(type)] ?? type).join(' or ')}`, value };
    }
    case 'format':
      return { message: FORMATS[params['format'] as Format]?.(String(value)) ?? 'is malformed', value };
    case 'minimum':
      return { message: `must be at least ${params['limit']}`, value };
    case 'maximum':
      return { message: `must be at most ${params['limit']}`, value };
    case 'minItems':
      return { message: `needs at least ${params['limit']} items`, value };
    case 'minLength':
    case 'minProperties':
      return { message: 'must not be empty', value };
    default: {
      if (params['pattern'] === '\\S') return { message: 'must not be blank', value };
      const what: unknown = parentSchema?.['description'];
      const message =
        typeof what === 'string'
          ? `is not ${what.charAt(0).toLowerCase()}${what.slice(1)}`
          : 'does not have the required form';
      return { message, value };
    }
  }
}

/** The word that was probably meant, if one is similar enough; case is ignored. */
function closest(word: string, words: readonly string[]): string | undefined {
  const lower = word.toLowerCase();
  const most = Math.max(1, Math.floor(word.length * 0.4));
  const [nearest] = words
    .map((candidate) => ({ candidate, edits: distance(lower, candidate.toLowerCase()) }))
    .filter(({ edits }) => edits <= most)
    .sort((a, b) => a.edits - b.edits);
  return nearest?.candidate;
}

interface SchemaNode {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly properties?: Readonly<Record<string, SchemaNode>>;
  readonly items?: SchemaNode;
}

/** The JSON types that the schema allows at a path below the attributes; empty for an unknown path. */
export function typesAt(path: Path): readonly string[] {
  let node: SchemaNode | undefined = { $ref: '#/$defs/attributes' };
  for (const step of path) {
    const parent: SchemaNode | undefined = dereferenced(node);
    node = typeof step === 'number' ? parent?.items : parent?.properties?.[step];
  }
  return [dereferenced(node)?.type ?? []].flat();
}

function dereferenced(node: SchemaNode | undefined): SchemaNode | undefined {
  if (node?.$ref === undefined) return node;
  const defs: Readonly<Record<string, unknown>> = schema.$defs;
  return defs[node.$ref.replace('#/$defs/', '')] as SchemaNode | undefined;
}
