// Lets ajv write the modules that check records and ledgers by the JSON Schemas of the sources: it
// takes longer to compile a schema than Node takes to start. The types of records, and the files of
// the XML Schema as one, are made next to it. The build, the tests and npm run dev do this first.
import { readdir, readFile, rename, writeFile } from 'node:fs/promises';
import { _, Ajv } from 'ajv';
import standalone from 'ajv/dist/standalone/index.js';
import { metadataTypes } from './metadata-types.mjs';

const folder = new URL('../src/metadata/schema/', import.meta.url);
const store = '../../harvest/store/';

/** Writes the modules, unless they are up to date: then a build of them is also up to date. */
export default async function writeValidators() {
  const schema = await json('datacite-4.7.json');
  await write('attributes.js', await attributesModule(schema));
  await write('types.ts', metadataTypes(schema));
  await write(`${store}ledger-code.js`, ledgerModule(await json(`${store}ledger-schema.json`)));
  await write('xsd.json', JSON.stringify(await xsdFiles(new URL('kernel-4.7/', folder))));
}

/** The texts of the XML Schema, by the names under which its files include each other. */
async function xsdFiles(schemaFolder) {
  const names = (await readdir(schemaFolder, { recursive: true })).map((name) =>
    name.replaceAll('\\', '/'),
  );
  const texts = names
    .filter((name) => name.endsWith('.xsd'))
    .sort()
    .map(async (name) => [name, await readFile(new URL(name, schemaFolder), 'utf8')]);
  return Object.fromEntries(await Promise.all(texts));
}

async function write(name, text) {
  const file = new URL(name, folder);
  if ((await readFile(file, 'utf8').catch(() => '')) === text) return;
  const temporary = new URL(`${file.href}.${process.pid}.tmp`);
  await writeFile(temporary, text);
  await rename(temporary, file);
}

/**
 * A module with `validators(formats)`, which returns a validator for each version of the schema. It
 * has ajv's code, which is a CommonJS module, in a function that gives it ajv's helpers.
 */
async function attributesModule(schema) {
  // Findings quote the schema and the value, not ajv's messages.
  const verbosity = { allErrors: true, verbose: true, messages: false };
  const inline = { inlineRefs: false, loopEnum: 0, loopRequired: 0 };
  const form = { ...inline, strict: false, validateSchema: false };
  const ajv = new Ajv({ ...verbosity, ...form, code: { source: true, formats: _`formats` } });
  for (const { format } of objectsIn(schema))
    if (typeof format === 'string') ajv.addFormat(format, () => true);
  const since = await json('since.json');
  ajv.addSchema(schema, '4.7').addSchema(without(schema, since['4.7']), '4.6');
  ajv
    .addSchema({ $ref: '4.6#/$defs/attributes' }, 'v46')
    .addSchema({ $ref: '4.7#/$defs/attributes' }, 'v47');
  const code = standalone.default(ajv, { v46: 'v46', v47: 'v47' });
  return `// Made by scripts/validators.mjs.
import equal from 'ajv/dist/runtime/equal.js';
import ucs2length from 'ajv/dist/runtime/ucs2length.js';
// The tests' loader unwraps the default export of a CommonJS module, Node and esbuild do not.
const helpers = {
  'ajv/dist/runtime/equal': { default: equal.default ?? equal },
  'ajv/dist/runtime/ucs2length': { default: ucs2length.default ?? ucs2length },
};
const require = (name) => helpers[name];
// Errors are added to a list: ajv copies the list for each item that has errors.
const added = (all, more) => {
  for (const error of more) all.push(error);
  return all;
};
export function validators(formats) {
const exports = {};
${code.replaceAll(/vErrors\.concat\((\w+\.errors)\)/g, 'added(vErrors, $1)')}
return exports;
}
`;
}

/** A module with `validateLedger`, which stops at the first error. */
function ledgerModule(schema) {
  const ajv = new Ajv({
    strict: false,
    verbose: true,
    messages: false,
    code: { source: true, esm: true },
    inlineRefs: false,
  });
  ajv.addSchema(schema, 'ledger');
  return standalone.default(ajv, { validateLedger: 'ledger' });
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

/** A value and all that is in it, as far as these are objects. */
function objectsIn(value) {
  if (typeof value !== 'object' || value === null) return [];
  return [value, ...Object.values(value).flatMap(objectsIn)];
}

async function json(name) {
  return JSON.parse(await readFile(new URL(name, folder), 'utf8'));
}
