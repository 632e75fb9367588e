import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { run, valuesIn } from '../helpers/run.ts';
import { accountAt, answer, type Exchange, serve } from '../helpers/server.ts';
import { temporaryDirectory } from '../helpers/temporary.ts';

const DOI = '10.5072/x';
const STORED = {
  doi: DOI,
  state: 'draft',
  url: 'https://example.org/old',
  version: '1',
  language: 'de',
  titles: [{ title: 'Old', lang: 'en' }],
  creators: [{ name: 'A', affiliation: [{ name: 'Old' }], nameIdentifiers: [] }],
  publisher: { name: 'P' },
  rightsList: [
    { rights: 'CC BY 4.0', rightsIdentifier: 'cc-by-4.0', rightsIdentifierScheme: 'SPDX' },
  ],
  subjects: [{ subject: 'one' }],
  types: { resourceTypeGeneral: 'Dataset', ris: 'DATA', bibtex: 'misc' },
  sizes: [],
};
type Attributes = Record<string, unknown>;
/** What the record becomes by a write, in this service. */
type Effect = (sent: Attributes, before: Attributes) => Attributes;

const sentIn = ({ body }: Exchange) =>
  body === ''
    ? undefined
    : (JSON.parse(body) as { data: { attributes: Attributes } }).data.attributes;

/**
 * Runs a command against a service with one record, whose answers to writes show what has become of
 * it.
 */
async function against(argv: readonly string[], effect: Effect, shown: Effect = (_, held) => held) {
  let held: Attributes = STORED;
  let sent: Attributes = {};
  const { url, asked } = await serve((response, exchange) => {
    const attributes = sentIn(exchange);
    if (exchange.method === 'GET' && exchange.url.startsWith('/dois?'))
      return answer(200, { data: [], meta: { total: 1 } })(response, exchange);
    if (attributes !== undefined) {
      sent = attributes;
      held = effect(sent, held);
    }
    const reply = attributes === undefined ? held : shown(sent, held);
    const [, named = encodeURIComponent(DOI)] = /dois\/([^?]+)/.exec(exchange.url) ?? [];
    const id = decodeURIComponent(named);
    answer(exchange.method === 'POST' ? 201 : 200, {
      data: { id, type: 'dois', attributes: reply },
    })(response, exchange);
  });
  const ran = await run(argv, { env: accountAt(url) });
  return { ...ran, methods: asked.map(({ method }) => method).join(' ') };
}

function file(name: string, ...records: readonly object[]): string {
  const path = join(temporaryDirectory(), name);
  writeFileSync(path, records.map((record) => JSON.stringify(record)).join('\n'));
  return path;
}

const nothing: Effect = (_, before) => before;
const all: Effect = ({ event, ...sent }, before) => ({
  ...before,
  ...sent,
  ...(event === 'publish' ? { state: 'findable' } : {}),
});
const CREATE = ['dois', 'create', '--doi', DOI, '--title'];
const set = (...values: readonly string[]) => [
  ...['dois', 'update', DOI, '--no-validate'],
  ...values.flatMap((value) => ['--set', value]),
];

describe('a write that is answered with success', () => {
  it.each<[string, readonly string[], RegExp, Effect?]>([
    ['an update', set('url=https://example.org/new'), /holds url "\S+old", not "\S+new"/],
    [
      'a part of an update',
      set('url=https://example.org/new', 'version=2'),
      /holds version "1", not "?2"?/,
      ({ url }, held) => ({ ...held, url }),
    ],
    [
      'a removal',
      set('titles[0].lang=null'),
      /holds titles \[\{"title":"Old","lang":"en"\}\], not/,
    ],
    ['a member', set('creators[0].affiliation[0].affiliationIdentifier=x'), /holds creators/],
    ['an update that empties', set('version='), /holds version "1", not/],
    ['a reason', set('reason=withdrawn'), /holds reason null, not "withdrawn"/],
    ['a license', set('rightsList[0].rightsIdentifier=cc0-1.0'), /holds rightsList/],
    ['a file', ['dois', 'update', '--file', 'FILE'], /holds language "de", not "fr"/],
    ['a create', [...CREATE, 'New'], /was created.* holds titles/],
    ['a part of a create', [...CREATE, 'Old', '--year', '2020'], /holds publicationYear null, not/],
  ])('without %s is in doubt', async (_, argv, message, effect = nothing) => {
    const path = file('one.json', { doi: DOI, language: 'fr' });
    const words = argv.map((word) => (word === 'FILE' ? path : word));
    const { code, stdout, stderr, methods } = await against(words, effect);
    expect([code, stdout], stderr).toEqual([5, '']);
    expect(stderr).toMatch(message);
    expect(stderr).toMatch(/the service answered that .* in part, or not at all\nhint: /);
    // It is read once, and not sent again.
    expect(methods).toMatch(/^(GET ){0,2}(PUT|POST) GET$/);
  });

  it('without an update of many records fails for those', async () => {
    const path = file('many.ndjson', { doi: DOI, version: '2' }, { doi: `${DOI}2`, version: '1' });
    const argv = ['dois', 'update', '--file', path, '--jobs', '1'];
    const { code, stdout } = await against(argv, nothing);
    const results = valuesIn<{ outcome: string }>(stdout);
    expect([code, results.map(({ outcome }) => outcome)]).toEqual([1, ['failed', 'unchanged']]);
    expect(stdout).toMatch(/holds version \\"1\\", not \\"2\\".* \(doi-cli dois get 10.5072\/x\)/);
  });

  it.each<[string, Effect]>([
    ['an older copy', () => STORED],
    ['no attributes', () => ({})],
    ['one attribute', ({ url }) => ({ url })],
  ])('is taken where the answer has %s, but the record holds what was sent', async (_, shown) => {
    const argv = set('url=https://example.org/new', 'titles[0].title=New');
    const { code, stderr, methods } = await against(argv, all, shown);
    expect([code, methods], stderr).toEqual([0, 'GET PUT GET']);
  });
});

describe('what the service makes of a value', () => {
  it.each<[string, readonly string[], Attributes]>([
    [
      'names in place of objects',
      set('creators[0].affiliation[0].name=New', 'publisher.name=Q'),
      { creators: [{ name: 'A', affiliation: ['New'], nameIdentifiers: [] }], publisher: 'Q' },
    ],
    ['a number', set('publicationYear="2020"'), { publicationYear: 2020 }],
    ['a code of the language', set('language=eng'), { language: 'en' }],
    [
      'completed types',
      set('types.resourceTypeGeneral=Text'),
      {
        types: { resourceTypeGeneral: 'Text', ris: 'RPRT', bibtex: 'article', citeproc: 'article' },
      },
    ],
    [
      'completed rights',
      set('rightsList=[{"rightsIdentifier":"CC0-1.0"}]'),
      {
        rightsList: [
          { rights: 'CC0', rightsUri: 'https://a.example', rightsIdentifier: 'cc0-1.0' },
        ],
      },
    ],
    [
      'rights in its own words',
      set('rightsList=[{"rights":"CC0 1.0 Universal"}]'),
      { rightsList: [{ rights: 'Creative Commons Zero', rightsIdentifier: 'cc0-1.0' }] },
    ],
    [
      'one subject more',
      set('subjects[]={"subject":"Physics"}'),
      {
        subjects: [
          { subject: 'one' },
          { subject: 'Physics' },
          {
            subject: 'FOS: Physical sciences',
            subjectScheme: 'Fields of Science and Technology (FOS)',
          },
        ],
      },
    ],
    [
      'an identifier with its resolver',
      set(
        'creators[0].nameIdentifiers=' +
          '[{"nameIdentifier":"0000-0002-1825-0097","nameIdentifierScheme":"ORCID"}]',
      ),
      {
        creators: [
          {
            name: 'A',
            affiliation: ['Old'],
            nameIdentifiers: [
              {
                nameIdentifier: 'https://orcid.org/0000-0002-1825-0097',
                nameIdentifierScheme: 'ORCID',
                schemeUri: 'https://orcid.org',
              },
            ],
          },
        ],
      },
    ],
    [
      'text without tags and needless space',
      set('titles[0].title=A  <i>new</i> one '),
      { titles: [{ title: 'A new one', lang: 'en' }] },
    ],
    [
      'no identifier that is its DOI',
      set(
        `identifiers=[{"identifier":"${DOI}","identifierType":"DOI"},` +
          '{"identifier":"7","identifierType":"Local"}]',
      ),
      { identifiers: [{ identifier: '7', identifierType: 'Local' }] },
    ],
    ['null for an empty list', set('subjects=[]'), { subjects: null }],
  ])('is not in doubt: %s', async (_, argv, stored) => {
    const effect: Effect = (sent, before) => ({ ...before, ...sent, ...stored });
    const { code, stderr } = await against(argv, effect);
    expect(code, stderr).toBe(0);
  });
});

describe('a deletion', () => {
  it.each([
    [200, { data: { id: DOI, type: 'dois', attributes: STORED } }],
    [200, {}],
    [202, {}],
  ])(
    'that is answered with %i, of a record that still exists, is in doubt',
    async (status, body) => {
      const record = answer(200, { data: { id: DOI, type: 'dois', attributes: STORED } });
      const { url } = await serve(record, answer(status, body), record);
      const argv = ['dois', 'delete', DOI, '--yes'];
      const { code, stdout, stderr } = await run(argv, { env: accountAt(url) });
      expect([code, stdout], stderr).toEqual([5, '']);
      expect(stderr).toMatch(/answered that 10.5072\/x was deleted, but it still exists/);
    },
  );
});
