import stringWidth from 'string-width';
import { describe, expect, it } from 'vitest';
import { citationOf } from '../../../../src/commands/dois/record/view.ts';
import { against } from '../../../helpers/against.ts';
import { emulate } from '../../../helpers/emulator.ts';
import { lacks } from '../../../helpers/platform.ts';
import { answer } from '../../../helpers/server.ts';

const RECORD = {
  doi: '10.5072/lake',
  state: 'findable',
  url: 'https://example.org/lake',
  titles: [
    { title: 'Lake <i>levels</i>\nof a year' },
    { title: 'Seespiegel', titleType: 'TranslatedTitle' },
  ],
  creators: [
    {
      name: 'Doe, Jane',
      nameIdentifiers: [
        { nameIdentifier: 'https://orcid.org/0000-0001-5109-3700', nameIdentifierScheme: 'ORCID' },
      ],
      affiliation: ['University of Lakes'],
    },
    { name: 'Lake Survey.', affiliation: [{ name: 'Ministry of Water' }] },
  ],
  publisher: { name: 'Lake Archive' },
  publicationYear: 2026,
  types: { resourceTypeGeneral: 'Dataset', resourceType: 'Time series' },
  dates: [{ date: '2026-01-02', dateType: 'Collected', dateInformation: 'by boat' }],
  subjects: [{ subject: 'lakes' }, { subject: 'water' }],
  relatedIdentifiers: [
    { relatedIdentifier: '10.5072/river', relatedIdentifierType: 'DOI', relationType: 'IsPartOf' },
    { relatedIdentifier: '2026.1', relatedIdentifierType: 'arXiv', relationType: 'IsCitedBy' },
  ],
  rightsList: [{ rights: 'CC BY 4.0', rightsUri: 'https://creativecommons.org/licenses/by/4.0/' }],
  descriptions: [{ description: 'Levels. '.repeat(200), descriptionType: 'Abstract' }],
  version: '2',
  citationCount: 1200,
  created: '2026-01-02T03:04:05Z',
};

async function view(attributes: unknown, columns = 100, ...argv: readonly string[]) {
  const record = answer(200, { data: { id: '10.5072/lake', attributes } });
  const terminal = { stdout: true, columns };
  return against(['dois', 'get', '10.5072/lake', ...argv], record, { terminal });
}

describe('dois get on a terminal', () => {
  it('shows a record for people', async () => {
    const { code, stdout } = await view(RECORD);
    expect(code).toBe(0);
    expect(
      stdout.replace(/(Levels\. ?)+(\n +(Levels\. ?)+)*/, 'Levels. '),
    ).toBe(`Lake <i>levels</i> of a year
Seespiegel (TranslatedTitle)
DOI           10.5072/lake
State         findable
Type          Dataset (Time series)
Creators      Doe, Jane, ORCID 0000-0001-5109-3700, University of Lakes
              Lake Survey., Ministry of Water
Published     Lake Archive, 2026
Address       https://example.org/lake
Dates         Collected 2026-01-02 (by boat)
Version       2
Subjects      lakes; water
Related       IsPartOf 10.5072/river
              IsCitedBy 2026.1 (arXiv)
Rights        CC BY 4.0
Abstract      Levels. … (shortened)
Used          1,200 citations
Record        created 2026-01-02
Cite as       Doe, Jane; Lake Survey. (2026). Lake <i>levels</i> of a year. Version 2. Lake Archive.
              Dataset. https://doi.org/10.5072/lake
`);
  });

  it.each([10, 40, 80, 120])('fits into %i columns', async (columns) => {
    const { stdout } = await view(
      { ...RECORD, url: `https://example.org/${'long'.repeat(60)}` },
      columns,
    );
    for (const line of stdout.split('\n'))
      expect(stringWidth(line), line).toBeLessThanOrEqual(columns);
  });

  it.each<[string, unknown]>([
    ['nothing', {}],
    ['nulls', Object.fromEntries(Object.keys(RECORD).map((name) => [name, null]))],
    ['numbers', Object.fromEntries(Object.keys(RECORD).map((name) => [name, 7]))],
    [
      'lists of nulls',
      Object.fromEntries(Object.keys(RECORD).map((name) => [name, [null, 1, 'x', [], {}]])),
    ],
  ])('takes a record of %s', async (_, attributes) => {
    const { code, stdout, stderr } = await view(attributes);
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toContain('DOI           10.5072/lake\n');
    expect(stdout).not.toMatch(/undefined|null|\[object|NaN/);
  });

  it('counts what it does not show', async () => {
    const creators = Array.from({ length: 1200 }, (_, index) => ({ name: `Doe, ${index}` }));
    const { stdout } = await view({ ...RECORD, creators });
    expect(stdout).toMatch(/Doe, 9\n +and 1,190 more\n/);
    expect(stdout).toMatch(/Doe, 9; et al\.\s+\(2026\)/);
  });

  it('lets no text of the service control the terminal', async () => {
    const evil = '\u001b]0;evil\u0007\u202e\nState         draft';
    const every = {
      title: evil,
      name: evil,
      subject: evil,
      rights: evil,
      relatedIdentifier: evil,
      date: evil,
    };
    const attributes = Object.fromEntries(Object.keys(RECORD).map((name) => [name, [every]]));
    const { stdout } = await view({ ...attributes, state: evil, url: evil, version: evil });
    expect(stdout).toContain('\\x1b]0;evil\\x07\\u202e State draft');
    expect(stdout).not.toMatch(/[^\P{Cc}\n]|\p{Bidi_Control}|^State {9}draft$/mu);
  });

  it('is JSON on request, and in a pipe', async () => {
    const emulator = await emulate();
    const { stdout: line } = await emulator.run(['dois', 'list', '--limit', '1']);
    const { id } = JSON.parse(line) as { id: string };
    const piped = await emulator.run(['dois', 'get', id]);
    const asked = await emulator.run(['dois', 'get', id, '--format', 'json'], {
      terminal: { stdout: true },
    });
    expect(JSON.parse(piped.stdout)).toMatchObject({ id });
    expect(asked.stdout).toBe(piped.stdout);
  });
});

describe('dois get --web', () => {
  // macOS and Windows always have something that opens an address.
  it.skipIf(lacks('linux'))(
    'prints the address of the landing page where nothing can be opened',
    async () => {
      expect(await view(RECORD, 80, '--web')).toMatchObject({
        code: 0,
        stdout: 'https://example.org/lake\n',
      });
    },
  );

  it.each(['javascript:alert(1)', '--help', null])('refuses %j', async (url) => {
    expect(await view({ ...RECORD, url }, 80, '--web')).toMatchObject({
      code: 1,
      stdout: '',
      stderr: /has no web address/,
    });
  });

  it('goes without a format', async () => {
    expect(await view(RECORD, 80, '--web', '--format', 'json')).toMatchObject({ code: 2 });
  });
});

describe('a citation', () => {
  it.each(['creators', 'titles', 'publisher', 'publicationYear'])('is none without %s', (name) => {
    expect(citationOf(RECORD, 'https://doi.org/10.5072/lake')).toBeDefined();
    expect(
      citationOf({ ...RECORD, [name]: undefined }, 'https://doi.org/10.5072/lake'),
    ).toBeUndefined();
  });

  it('is none with a code instead of a name', () => {
    expect(
      citationOf({ ...RECORD, creators: [{ name: ':unav' }] }, 'https://doi.org/10.5072/lake'),
    ).toBe(undefined);
  });
});
