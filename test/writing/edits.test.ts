import { expect, it } from 'vitest';
import type { Attributes, Doi } from '../../src/api/dois.ts';
import { type ParsedRecord, recordOf } from '../../src/formats/input/record.ts';
import { planFor } from '../../src/writing/plan.ts';
import { type Assignment, parseAssignment } from '../../src/writing/set.ts';

const DOI = '10.5072/a';

/** What an update by hand sends of a record. */
function sentBy(stored: Attributes, edited: Attributes): unknown {
  const before = { id: DOI, attributes: { state: 'draft', ...stored } } as unknown as Doi;
  const record = recordOf({ doi: DOI, ...edited }, 'a.json');
  const request = { command: 'update', doi: DOI, record, validate: true } as const;
  const plan = planFor(request, before, { suggest: (...words) => words.join(' ') });
  return plan.isUnchanged ? 'nothing' : JSON.parse(plan.body ?? '').data.attributes;
}

const LANDING = 'http://dx.doi.org/10.5072/landing';
const described = (description: string) => ({
  descriptions: [{ description, descriptionType: 'Abstract' }],
});
const person = (nameIdentifier: string) => ({
  creators: [{ name: 'Doe, Jane', nameIdentifiers: [{ nameIdentifier }] }],
});

// The service stores the texts of JSON as they are sent (service.md, W21).
it.each<[string, Attributes, Attributes]>([
  ['the resolver of a landing page', { url: LANDING }, { url: 'https://doi.org/10.5072/landing' }],
  ['a resolver less', { url: 'https://doi.org/10.5072/x' }, { url: 'http://dx.doi.org/10.5072/x' }],
  [
    'a title like a DOI',
    { titles: [{ title: '10.5072/A' }] },
    { titles: [{ title: '10.5072/a' }] },
  ],
  [
    'the scheme of a license address',
    { rightsList: [{ rights: 'Ours', rightsUri: 'http://ror.org/05gq02987' }] },
    { rightsList: [{ rights: 'Ours', rightsUri: 'https://ror.org/05gq02987' }] },
  ],
  ['a link as description', described('https://doi.org/10.5072/a'), described('10.5072/a')],
  ['an ORCID iD', person('https://orcid.org/0000-0002-1825-0097'), person('0000-0002-1825-0097')],
  [
    'one of two equal subjects',
    { subjects: [{ subject: 'sea' }, { subject: 'sea' }, { subject: 'ice' }] },
    { subjects: [{ subject: 'sea' }, { subject: 'ice' }] },
  ],
  ['one of two equal sizes', { sizes: ['1 MB', '1 MB', '2 MB'] }, { sizes: ['1 MB', '2 MB'] }],
])('an edit of %s is sent', (_, stored, edited) => {
  expect(sentBy(stored, edited)).toEqual({ doi: DOI, ...edited });
});

it.each<[string, Attributes, Attributes]>([
  [
    'a license by another of its names',
    {
      rightsList: [
        {
          rights: 'Creative Commons Attribution 4.0 International',
          rightsUri: 'https://creativecommons.org/licenses/by/4.0/legalcode',
          schemeUri: 'https://spdx.org/licenses/',
          rightsIdentifier: 'cc-by-4.0',
          rightsIdentifierScheme: 'SPDX',
        },
      ],
    },
    { rightsList: [{ rightsIdentifier: 'CC-BY-4.0' }] },
  ],
  ['a year as text', { publicationYear: 2024 }, { publicationYear: '2024' }],
  ['a language by its name', { language: 'en' }, { language: 'eng' }],
])('%s is no edit', (_, stored, edited) => {
  expect(sentBy(stored, edited)).toBe('nothing');
});

it('a placeholder that is stored is filled in where it is set again, by hand or with --set', () => {
  const url = 'https://example.org/{suffix}';
  expect(sentBy({ url }, { url })).toEqual({ doi: DOI, url: 'https://example.org/a' });
  const before = { id: DOI, attributes: { state: 'draft', url } } as unknown as Doi;
  const sent = (record?: ParsedRecord, ...set: readonly Assignment[]) => {
    const request = { command: 'update', doi: DOI, record, set, validate: true } as const;
    return planFor(request, before, { suggest: () => '' }).changes;
  };
  const change = { path: 'url', before: url, after: 'https://example.org/a' };
  expect(sent(undefined, parseAssignment(`url=${url}`))).toEqual([change]);
  expect(sent(undefined, parseAssignment('language=en'))).toMatchObject([{ path: 'language' }]);
  const updated = '2026-01-01T00:00:00Z';
  expect(sent({ ...recordOf({ doi: DOI, url }, 'a.json'), origin: { updated } })).toEqual([]);
});
