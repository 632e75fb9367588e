// Compiles the JSON Schemas of the sources into modules that check by them, next to each schema: the program ships no
// schema compiler. The build, the tests and npm run dev do this first; equal sources give equal modules.
import { readFile, rename, writeFile } from 'node:fs/promises';
import { _, Ajv } from 'ajv';
import standalone from 'ajv/dist/standalone/index.js';
import { transform } from 'esbuild';

const OPTIONS = { allErrors: true, strict: false, validateSchema: false, inlineRefs: false };
const CODE = { source: true, optimize: 3 };
const HEAD = '"use strict";module.exports = validate0;module.exports.default = validate0;';
const HELPER = /require\("(ajv\/dist\/runtime\/(\w+))"\)\.default/g;
// ajv looks names up in the schema from this number on. It compares fewer one by one, with a copy of each name.
const LOOKED_UP = 9;

// What ajv writes for each error, and for each call of another validator. As calls of these functions, without what the
// program does not read of an error, it is half as long.
const ERROR =
  /const (err\d+) = \{instancePath(?::(.*?))?,schemaPath:"[^"]*",keyword:("\w+"),params:(\{.*?\}),schema:.*?,parentSchema:([^;]*?),data(?::([^;]*?))?\};if\(vErrors === null\)\{vErrors = \[\1\];\}else \{vErrors\.push\(\1\);\}errors\+\+;/g;
const CALL =
  /if\(!\((validate\d+)\(([^;]*?), \{instancePath(?::(.*?))?,parentData[^;]*?,rootData\}\)\)\)\{vErrors = vErrors === null \? \1\.errors : vErrors\.concat\(\1\.errors\);errors = vErrors\.length;\}/g;
const SETTINGS_ERROR =
  /const (err\d+) = \{instancePath(?::(.*?))?,schemaPath:"[^"]*",keyword:"\w+",params:\{.*?\},message:([^}]*?)\};if\(vErrors === null\)\{vErrors = \[\1\];\}else \{vErrors\.push\(\1\);\}errors\+\+;/g;
// What it writes for each property with a validator, and each array of them, in the form that CALL leaves.
const JOINED = 'vErrors = joined\\(vErrors, \\3\\);errors = vErrors\\.length;';
const MEMBER = new RegExp(
  `if\\((data\\d*)\\.(\\w+) !== undefined\\)\\{if\\(!(validate\\d+)\\(\\1\\.\\2, \\{instancePath: instancePath\\+"/\\2"\\}\\)\\)\\{${JOINED}\\}\\}`,
  'g',
);
const ITEMS = new RegExp(
  `if\\(Array\\.isArray\\((data\\d+)\\)\\)\\{const len\\d+ = \\1\\.length;for\\(let (i\\d+)=0; [^)]*\\)\\{if\\(!(validate\\d+)\\(\\1\\[\\2\\], \\{instancePath: instancePath\\+"/(\\w+)/" \\+ \\2\\}\\)\\)\\{${JOINED}\\}\\}\\}`,
  'g',
);
const REQUIRED =
  /for\(const (prop\d+) of (schema\d+)\.required\)\{if\((data\d*)\[\1\] === undefined\)\{vErrors = failed\(vErrors, instancePath, "required", \{missingProperty: \1\}, \2, \3\);errors\+\+;\}\}/g;
const ADDITIONAL =
  /for\(const (key\d+) in (data\d*)\)\{if\(!\(func\d+\.call\((schema\d+)\.properties, \1\)\)\)\{vErrors = failed\(vErrors, instancePath, "additionalProperties", \{additionalProperty: \1\}, \3, \2\);errors\+\+;\}\}/g;
const PARAMETERS = '{instancePath="", parentData, parentDataProperty, rootData=data}={}';
const FUNCTIONS = `
const failed = (errors, instancePath, keyword, params, parentSchema, data) => {
  errors ??= [];
  errors.push({ instancePath, keyword, params, parentSchema, data });
  return errors;
};
const joined = (errors, { errors: added }) => (errors === null ? added : errors.concat(added));
const count = (errors) => errors?.length ?? 0;
const at = (errors, path, data, key, validate) =>
  validate(data[key], { instancePath: path + '/' + key }) ? errors : joined(errors, validate);
const member = (errors, path, data, key, validate) =>
  data[key] === undefined ? errors : at(errors, path, data, key, validate);
const items = (errors, path, data, validate) => {
  if (Array.isArray(data)) for (const key of data.keys()) errors = at(errors, path, data, key, validate);
  return errors;
};
const required = (errors, path, schema, data) => {
  for (const missingProperty of schema.required)
    if (data[missingProperty] === undefined)
      errors = failed(errors, path, 'required', { missingProperty }, schema, data);
  return errors;
};
const additional = (errors, path, schema, data) => {
  for (const additionalProperty in data)
    if (!Object.hasOwn(schema.properties, additionalProperty))
      errors = failed(errors, path, 'additionalProperties', { additionalProperty }, schema, data);
  return errors;
};
`;

/** Writes the modules that are not up to date. */
export default async function writeValidators() {
  await writeModule(
    'metadata/schema/attributes.js',
    await attributesModule('metadata/schema/datacite-4.7.json'),
  );
  await writeModule('settings/schema.js', await settingsModule('settings/schema.json'));
}

/**
 * Exports `validator($defs, formats)`, for the schema's definitions or a version of them with fewer properties and
 * values: the code looks up there what a version may lack.
 */
async function attributesModule(/** @type {string} */ name) {
  const { $defs } = await schemaIn(name);
  // Findings quote the schema and the value, not ajv's messages.
  const options = { verbose: true, messages: false, loopEnum: 0, loopRequired: 0 };
  const ajv = new Ajv({ ...OPTIONS, ...options, code: { ...CODE, formats: _`formats` } });
  for (const format of valuesOf($defs, 'format')) ajv.addFormat(format, () => true);
  const definitions = Object.entries($defs).map(([definition, schema]) => [definition, padded(schema)]);
  ajv.addSchema({ $defs: Object.fromEntries(definitions) }, 'datacite');
  let { imports, code } = compiled(ajv, { $ref: 'datacite#/$defs/attributes' });
  for (const [definition, schema] of definitions) {
    code = code.replaceAll(` = ${JSON.stringify(schema)};`, ` = $defs.${definition};`);
  }
  return `${imports}${FUNCTIONS}export const validator = ($defs, formats) => {${shortened(code)}return validate0;};`;
}

/** The code with calls for what ajv writes in full. */
function shortened(/** @type {string} */ code) {
  const short = code
    .replace(
      ERROR,
      (_code, _name, path = 'instancePath', keyword, params, schema, value = 'data') =>
        `vErrors = failed(vErrors, ${path}, ${keyword}, ${params}, ${schema}, ${value});errors++;`,
    )
    .replace(
      CALL,
      (_code, name, value, path = 'instancePath') =>
        `if(!${name}(${value}, {instancePath: ${path}})){vErrors = joined(vErrors, ${name});errors = vErrors.length;}`,
    )
    .replace(MEMBER, 'errors = count(vErrors = member(vErrors, instancePath, $1, "$2", $3));')
    .replace(ITEMS, 'errors = count(vErrors = items(vErrors, instancePath + "/$4", $1, $3));')
    .replace(REQUIRED, 'errors = count(vErrors = required(vErrors, instancePath, $2, $3));')
    .replace(ADDITIONAL, 'errors = count(vErrors = additional(vErrors, instancePath, $3, $2));')
    .replaceAll(PARAMETERS, '{instancePath=""}={}');
  if (short.length > 0.55 * code.length) throw new Error("ajv's code for errors has another form");
  return short;
}

/** Exports `validate`, with ajv's messages. */
async function settingsModule(/** @type {string} */ name) {
  const { imports, code } = compiled(new Ajv({ ...OPTIONS, code: CODE }), await schemaIn(name));
  const short = code.replace(
    SETTINGS_ERROR,
    (_code, _name, path = 'instancePath', message) =>
      `vErrors = failed(vErrors, ${path}, ${message});errors++;`,
  );
  if (short.length > 0.7 * code.length) throw new Error("ajv's code for errors has another form");
  const failed =
    'const failed = (errors, instancePath, message) => [...(errors ?? []), { instancePath, message }];';
  return `${imports}${failed}${short}export { validate0 as validate };`;
}

/** The code that declares `validate0`, and the imports of ajv's helpers that it needs. */
function compiled(ajv, schema) {
  const code = standalone.default(ajv, ajv.compile(schema));
  if (!code.startsWith(HEAD)) throw new Error(`ajv's code begins in another way: ${code.slice(0, 200)}`);
  const imports = new Map();
  const body = code.slice(HEAD.length).replace(HELPER, (_call, path, helper) => {
    imports.set(helper, `import ${helper} from '${path}.js';\n`);
    // The tests' loader unwraps the default export of a CommonJS module, Node and esbuild do not.
    return `(${helper}.default ?? ${helper})`;
  });
  return { imports: [...imports.values()].sort().join(''), code: body };
}

/** A schema whose objects have enough properties for ajv to look them up; the names that it adds are no one's. */
function padded(schema) {
  if (typeof schema !== 'object' || schema === null || Array.isArray(schema)) return schema;
  const copy = Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, padded(value)]));
  if (schema.additionalProperties !== false) return copy;
  const missing = Math.max(0, LOOKED_UP - Object.keys(schema.properties).length);
  for (let added = 0; added < missing; added += 1) copy.properties[` ${added}`] = true;
  return copy;
}

/** The texts that a keyword has anywhere in a schema. */
function valuesOf(schema, keyword) {
  const found = new Set();
  JSON.stringify(schema, (key, value) => {
    if (key === keyword && typeof value === 'string') found.add(value);
    return value;
  });
  return [...found].sort();
}

async function schemaIn(name) {
  return JSON.parse(await readFile(new URL(`../src/${name}`, import.meta.url), 'utf8'));
}

/** Leaves a file alone that is up to date: a build of it would be, too. */
async function writeModule(name, source) {
  const file = new URL(`../src/${name}`, import.meta.url);
  // Its names are ajv's numbers, so that short ones read no worse.
  const { code } = await transform(source, { minify: true });
  const text = `// Made by scripts/validators.mjs.\n${code}`;
  if ((await readFile(file, 'utf8').catch(() => '')) === text) return;
  const temporary = new URL(`${file.href}.${process.pid}.tmp`);
  await writeFile(temporary, text);
  await rename(temporary, file);
}
