import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  landingPage,
  landingPageFindings,
  parseLandingPage,
  withLandingPage,
} from '../../src/metadata/landing-page.ts';

const DOIS = [
  '10.5072/abc',
  '10.5072/a/b:c//d',
  '10.5072/ABC',
  '10.5072.7/a#b',
  '10.5072/a?b=c&d',
  '10.5072/100%25',
  '10.5072/50%',
  '10.1002/(SICI)1097-4679(199911)55:11<1::AID-1>3.0.CO;2-#',
  '10.5072/a b+c',
  '10.5072/a\\b|c"d`e^f',
  "10.5072/o'neill*~!$=,@",
  '10.5072/{suffix}',
  '10.5072/$&$1',
  '10.5072/größe-海-🐟',
];

/** The DOI that a browser, and a server behind it, find in an address. */
const readBack = (template: string, doi: string) => {
  const url = new URL(landingPage(template, doi));
  return {
    path: decodeURIComponent(url.pathname.slice('/d/'.length)),
    query: url.searchParams.get('doi'),
    hash: decodeURIComponent(url.hash.slice(1)),
    keys: [...url.searchParams.keys()],
  };
};

describe('a landing page', () => {
  it.each(DOIS)('gives %s back from its path, its query and its fragment', (doi) => {
    expect(readBack('https://example.org/d/{doi}?doi={doi}&x=1#{doi}', doi)).toEqual({
      path: doi,
      query: doi,
      hash: doi,
      keys: ['doi', 'x'],
    });
    const { path, query } = readBack('https://example.org/d/{prefix}/{suffix}?doi={suffix}', doi);
    expect([path, `${doi.split('/')[0]}/${query}`]).toEqual([doi, doi]);
    expect(landingPage(landingPage('https://example.org/{suffix}', doi), doi)).toBe(
      landingPage('https://example.org/{suffix}', doi),
    );
  });
  it('gives any suffix back', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', minLength: 1 }), (text) => {
        // A path cannot contain segments of dots, and a DOI neither.
        const doi = `10.5072/x${text.replace(/\.\.?(?=\/|$)|\\/g, '-')}`;
        const { path, query, hash } = readBack('https://example.org/d/{doi}?doi={doi}#{doi}', doi);
        expect([path, query, hash]).toEqual([doi, doi, doi]);
      }),
    );
  });
  it.each([
    ['https://example.org/{suffix}', 'https://example.org/a/b;c'.replace(';', '%3B')],
    ['https://example.org/{prefix}-{prefix}', 'https://example.org/10.5072-10.5072'],
    ['https://doi.example.org/{doi}', 'https://doi.example.org/10.5072/a/b%3Bc'],
    ['https://example.org/%7Bsuffix%7D', 'https://example.org/%7Bsuffix%7D'],
    ['https://example.org/', 'https://example.org/'],
  ])('%s is filled in', (template, expected) => {
    expect(landingPage(template, '10.5072/a/b;c')).toBe(expected);
  });
  it('stays where it is stored, is no text, or has no DOI', () => {
    const url = 'https://example.org/{suffix}';
    for (const [attributes, doi, stored] of [
      [{ url }, '10.5072/a', url],
      [{ url: null }, '10.5072/a', undefined],
      [{ url }, undefined, undefined],
      [{}, '10.5072/a', undefined],
    ] as const)
      expect(withLandingPage(attributes, doi, stored)).toEqual(attributes);
  });
});

describe('other braces', () => {
  it.each([
    'https://example.org/{DOI}',
    'https://example.org/{id}',
    'https://example.org/{ suffix }',
    'https://example.org/{{suffix}}',
    `https://example.org/$${'{suffix}'}`,
    'https://example.org/{suffix}/{',
    'https://example.org/suffix}',
    'https://example.org/{}',
  ])('%s is refused', (url) => {
    const message = /\{doi\}, \{prefix\} or \{suffix\}: write %7B and %7D/;
    expect(() => parseLandingPage(url)).toThrow(message);
    expect(landingPageFindings({ url })).toMatchObject([
      { severity: 'error', path: 'url', message: expect.stringMatching(message), value: url },
    ]);
  });
  it.each(['https://example.org/{doi}?{prefix}#{suffix}', 'https://example.org/%7Bid%7D'])(
    '%s has none',
    (url) => {
      expect(parseLandingPage(url)).toBe(url);
      expect(landingPageFindings({ url })).toEqual([]);
    },
  );
  it('are searched in texts only', () => {
    expect([{}, { url: null }, { url: 7 }].flatMap(landingPageFindings)).toEqual([]);
  });
});
