// Lets ajv write the modules that check by the JSON Schemas of the sources. ajv takes longer to compile the one of
// records than Node takes to start. The build, the tests and npm run dev do this first.
import { readFile, rename, writeFile } from 'node:fs/promises';
import { _, Ajv } from 'ajv';
import standalone from 'ajv/dist/standalone/index.js';

const OPTIONS = { allErrors: true, strict: false, validateSchema: false, inlineRefs: false };
const sources = new URL('../src/', import.meta.url);

/** Writes the modules that are not up to date. */
export default async function writeValidators() {
  await writeModule('metadata/schema/attributes.js', await attributesModule());
}

/** Exports `validators(formats)`, which returns a validator for each version of the schema. */
async function attributesModule() {
  const schema = await json('metadata/schema/datacite-4.7.json');
  // Findings quote the schema and the value, not ajv's messages.
  const options = { ...OPTIONS, verbose: true, messages: false, loopEnum: 0, loopRequired: 0 };
  const ajv = new Ajv({ ...options, code: { source: true, formats: _`formats` } });
  for (const format of namesOfFormats(schema)) ajv.addFormat(format, () => true);
  ajv
    .addSchema(schema, '4.7')
    .addSchema(without(schema, await json('metadata/schema/since-4.7.json')), '4.6');
  const names = { v46: '4.6#/$defs/attributes', v47: '4.7#/$defs/attributes' };
  for (const [name, $ref] of Object.entries(names)) ajv.addSchema({ $ref }, name);
  return inFunction('validators', 'formats', standalone.default(ajv, { v46: 'v46', v47: 'v47' }));
}

/** The schema without the values of lists and the property that a later version added. */
function without(schema, { values, property }) {
  const older = structuredClone(schema);
  for (const [name, added] of Object.entries(values)) {
    older.$defs[name].enum = older.$defs[name].enum.filter((value) => !added.includes(value));
  }
  for (const { properties } of Object.values(older.$defs)) delete properties?.[property];
  return older;
}

/** ajv's code as it is, which is a CommonJS module, in a function that gives it ajv's helpers. */
function inFunction(name, parameters, code) {
  return `// Made by scripts/validators.mjs.
import equal from 'ajv/dist/runtime/equal.js';
import ucs2length from 'ajv/dist/runtime/ucs2length.js';
// The tests' loader unwraps the default export of a CommonJS module, Node and esbuild do not.
const helpers = {
  'ajv/dist/runtime/equal': { default: equal.default ?? equal },
  'ajv/dist/runtime/ucs2length': { default: ucs2length.default ?? ucs2length },
};
const require = (name) => helpers[name];
export function ${name}(${parameters}) {
const exports = {};
${code}
return exports;
}
`;
}

/** The formats that a schema names anywhere. */
function namesOfFormats(schema) {
  const found = new Set();
  JSON.stringify(schema, (key, value) => {
    if (key === 'format' && typeof value === 'string') found.add(value);
    return value;
  });
  return found;
}

async function json(name) {
  return JSON.parse(await readFile(new URL(name, sources), 'utf8'));
}

/** Leaves a file alone that is up to date: a build of it would be, too. */
async function writeModule(name, text) {
  const file = new URL(name, sources);
  if ((await readFile(file, 'utf8').catch(() => '')) === text) return;
  const temporary = new URL(`${file.href}.${process.pid}.tmp`);
  await writeFile(temporary, text);
  await rename(temporary, file);
}
