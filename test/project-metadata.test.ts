// What archives and catalogues accept, for the fields that the project's files have: a new field
// needs a line here. Written after the guide to CFF 1.2.0, the terms of CodeMeta 3.0 and the
// description of Zenodo's deposits; none of their schemas is in a package.
import { readFileSync } from 'node:fs';
import { Ajv } from 'ajv';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';

const text = { type: 'string', minLength: 1 };
const words = { type: 'array', items: text, minItems: 1, uniqueItems: true };
const version = { type: 'string', pattern: '^\\d+\\.\\d+\\.\\d+$' };
const object = (required: readonly string[], properties: object) => ({
  type: 'object',
  required,
  properties,
  additionalProperties: false,
});
const some = (items: object) => ({ type: 'array', items, minItems: 1 });
const name = object(['name'], { name: text });

const SCHEMAS = {
  'CITATION.cff': object(['cff-version', 'message', 'title', 'authors'], {
    'cff-version': { const: '1.2.0' },
    message: text,
    title: text,
    abstract: text,
    type: { enum: ['software', 'dataset'] },
    authors: some(name),
    version,
    license: { const: 'MIT' },
    keywords: words,
  }),
  'codemeta.json': object(['@context', 'type', 'name'], {
    '@context': { const: 'https://w3id.org/codemeta/3.0' },
    type: { const: 'SoftwareSourceCode' },
    name: text,
    description: text,
    version,
    license: { const: 'https://spdx.org/licenses/MIT' },
    programmingLanguage: text,
    runtimePlatform: text,
    operatingSystem: words,
    // The value is an address: a word would be one below that of this file.
    developmentStatus: {
      enum: ['wip', 'active', 'inactive'].map((status) => `https://www.repostatus.org/#${status}`),
    },
    keywords: words,
    author: some(
      object(['type', 'name'], { type: { enum: ['Organization', 'Person'] }, name: text }),
    ),
  }),
  '.zenodo.json': object(['title', 'description', 'upload_type', 'creators'], {
    title: text,
    description: text,
    upload_type: { const: 'software' },
    license: { const: 'MIT' },
    creators: some(name),
    keywords: words,
  }),
};

describe.each(Object.entries(SCHEMAS))('%s', (file, schema) => {
  const check = new Ajv({ allErrors: true }).compile(schema);
  const found = (): Record<string, unknown> => parse(readFileSync(file, 'utf8'));

  it('has the fields that its readers know', () => {
    expect([check(found()), check.errors]).toEqual([true, null]);
  });

  it.each(schema.required)('would not do without %s', (field) => {
    const { [field]: _, ...rest } = found();
    expect(check(rest)).toBe(false);
  });

  it('would not do with a field of another name, or a value of another kind', () => {
    expect(check({ ...found(), keyword: ['DOI'] })).toBe(false);
    expect(check({ ...found(), keywords: 'DOI' })).toBe(false);
  });
});
