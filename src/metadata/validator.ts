import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';
import { type Path, pathText } from '../text/json-places.ts';
import type { Finding } from './findings.ts';
import { FORMATS, type Format } from './formats.ts';
import schema from './schema/datacite-4.6.json' with { type: 'json' };
import { closest } from './suggest.ts';

// The service takes these as they are; the schema asks for more.
const LENIENT: readonly string[] = ['uri'] satisfies Format[];

let compiled: ValidateFunction | undefined;

/** Compiled when first needed: it takes some 30 ms. */
function validator(): ValidateFunction {
  if (compiled !== undefined) return compiled;
  const ajv = new Ajv2020({
    allErrors: true,
    verbose: true,
    strict: false,
    messages: false,
    // A test does that; here it would only take time.
    validateSchema: false,
    inlineRefs: false,
  });
  for (const [name, complaint] of Object.entries(FORMATS)) {
    ajv.addFormat(name, (text: string) => complaint(text) === undefined);
  }
  ajv.addSchema(schema, 'datacite');
  compiled = ajv.compile({ $ref: 'datacite#/$defs/attributes' });
  return compiled;
}

/** What the schema has to say of an attributes object, whatever the state it is to be in. */
export function schemaFindings(attributes: unknown): readonly Finding[] {
  const validate = validator();
  if (validate(attributes)) return [];
  return (validate.errors ?? []).flatMap((error) => {
    // Only says that one of the following errors is there.
    if (error.keyword === 'if') return [];
    const steps = stepsOf(attributes, error);
    return {
      severity: isLenient(error) ? 'warning' : 'error',
      path: pathText(steps),
      steps,
      ...explained(error),
    };
  });
}

function isLenient({ keyword, params }: ErrorObject): boolean {
  return keyword === 'format' && LENIENT.includes(String(params['format']));
}

/** The path of the value that an error is about; of a property that is missing or unknown, its own path. */
function stepsOf(attributes: unknown, { instancePath, params }: ErrorObject): Path {
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

/** The properties that may be written, for suggestions. */
function writable(properties: unknown): readonly string[] {
  return Object.entries((properties ?? {}) as Record<string, { readOnly?: boolean }>)
    .filter(([, { readOnly }]) => readOnly !== true)
    .map(([name]) => name);
}

function explained(error: ErrorObject): Pick<Finding, 'message' | 'value' | 'allowed' | 'suggestion'> {
  const { keyword, params, data, parentSchema } = error;
  switch (keyword) {
    case 'required':
      return { message: 'is missing' };
    case 'additionalProperties': {
      const name = String(params['additionalProperty']);
      const suggestion = closest(name, writable(parentSchema?.['properties']));
      const message = 'is not a property of the schema';
      return {
        message,
        value: (data as Record<string, unknown>)[name],
        ...(suggestion ? { suggestion } : {}),
      };
    }
    case 'enum': {
      const allowed = (params['allowedValues'] as unknown[]).filter((value) => typeof value === 'string');
      const suggestion = typeof data === 'string' ? closest(data, allowed) : undefined;
      return {
        message: 'is not in the controlled list',
        value: data,
        allowed,
        ...(suggestion ? { suggestion } : {}),
      };
    }
    case 'type': {
      const types = [params['type']].flat().filter((type) => type !== 'null');
      return {
        message: `must be ${types.map((type) => TYPES[String(type)] ?? type).join(' or ')}`,
        value: data,
      };
    }
    case 'format':
      return { message: FORMATS[params['format'] as Format]?.(String(data)) ?? 'is malformed', value: data };
    case 'minimum':
    case 'maximum':
      return {
        message: `must be ${keyword === 'minimum' ? 'at least' : 'at most'} ${params['limit']}`,
        value: data,
      };
    case 'minItems':
      return { message: `needs at least ${params['limit']} items`, value: data };
    case 'minLength':
    case 'minProperties':
      return { message: 'must not be empty', value: data };
    default: {
      if (params['pattern'] === '\\S') return { message: 'must not be blank', value: data };
      const what: unknown = parentSchema?.['description'];
      const message =
        typeof what === 'string'
          ? `is not ${what.charAt(0).toLowerCase()}${what.slice(1)}`
          : 'does not have the form that is asked for';
      return { message, value: data };
    }
  }
}
