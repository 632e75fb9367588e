// TypeScript for the attributes of a record, made from the JSON Schema that checks them: one source
// for both.

const WORDS = {
  string: 'string',
  integer: 'number',
  number: 'number',
  boolean: 'boolean',
  null: 'null',
};
const ANY_OBJECT = '{ readonly [name: string]: unknown }';
/** Definitions that describe no part of the attributes. */
const BESIDE = ['required', 'resource'];

/**
 * A module of types. Definitions that are controlled lists or objects have names, others are
 * written out. Only the validator uses formats and patterns.
 */
export function metadataTypes({ $defs: defs }) {
  const named = Object.entries(defs).filter(
    ([name, { enum: list, properties }]) => (list || properties) && !BESIDE.includes(name),
  );
  const names = new Map(
    named.map(([name]) => [name, name.charAt(0).toUpperCase() + name.slice(1)]),
  );
  const parts = named.map(([name, def]) => {
    const type = def.enum ? listOf(def.enum) : objectOf(def);
    return `${comment(def)}export type ${names.get(name)} = ${type};\n`;
  });
  return `// Made by scripts/metadata-types.mjs.\n${parts.join('\n')}`;

  function typeOf(schema) {
    const { $ref, enum: list, not, items, properties } = schema;
    if ($ref !== undefined) {
      const whole = typeNamed($ref.replace('#/$defs/', ''));
      return not?.type === 'null' ? `NonNullable<${whole}>` : whole;
    }
    if (list !== undefined) return listOf(list);
    const types = [schema.type].flat().map((type) => {
      // Several polygons in one place are valid, but the service drops them.
      if (type === 'array') return arrayOf(items ?? schema.else?.items);
      if (type === 'object') return properties === undefined ? ANY_OBJECT : objectOf(schema);
      return WORDS[type];
    });
    return [...new Set(types)].join(' | ');
  }

  /** The name of an object is joined by what may stand in its place. */
  function typeNamed(name) {
    const { enum: list, type } = defs[name];
    if (!names.has(name)) return typeOf(defs[name]);
    const others = list ? [] : [type].flat().filter((one) => one !== 'object');
    return [names.get(name), ...others.map((one) => WORDS[one])].join(' | ');
  }

  function arrayOf(items) {
    const type = items === undefined ? 'unknown' : typeOf(items);
    return `readonly ${/^\w+$/.test(type) ? type : `(${type})`}[]`;
  }

  function objectOf({ properties, required = [] }) {
    const members = Object.entries(properties).map(([name, schema]) => {
      const about = schema.$ref ? defs[schema.$ref.replace('#/$defs/', '')] : schema;
      const type = typeOf(schema);
      const member = required.includes(name) ? `${name}: ${type}` : `${name}?: ${type} | undefined`;
      return `${comment(about)}readonly ${member};\n`.replace(/^(?=.)/gm, '  ');
    });
    return `{\n${members.join('')}}`;
  }
}

function listOf(values) {
  return values.map((value) => (value === null ? 'null' : `'${value}'`)).join(' | ');
}

function comment({ description }) {
  return description === undefined ? '' : `/** ${description}. */\n`;
}
