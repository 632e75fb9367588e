import { describe, expect, it } from 'vitest';
import { changesOf, changeText } from '../../src/writing/ledger/changes.ts';
import { assign, parseAssignment } from '../../src/writing/set.ts';

const RECORD = {
  titles: [{ title: 'A', lang: 'en' }],
  types: { resourceTypeGeneral: 'Text', ris: 'GEN' },
  publisher: { name: 'P' },
  publicationYear: 2020,
  subjects: [],
  url: 'https://example.org/1',
};
const set = (...texts: readonly string[]) => assign(RECORD, texts.map(parseAssignment));

describe('--set', () => {
  it.each([
    ['publicationYear=2026', { publicationYear: 2026 }],
    ['version=1.0.1', { version: '1.0.1' }],
    ['version=2', { version: '2' }],
    ['version="1.0"', { version: '1.0' }],
    ['url=https://example.org/?a=b', { url: 'https://example.org/?a=b' }],
    ['url=', { url: '' }],
    ['url=""', { url: '' }],
    ['url=null', { url: null }],
    ['language=null', { language: null }],
    ['titles[0].title=B = C', { titles: [{ title: 'B = C', lang: 'en' }] }],
    ['titles[1]={"title":"B"}', { titles: [{ title: 'A', lang: 'en' }, { title: 'B' }] }],
    ['titles[]={"title":"B"}', { titles: [{ title: 'A', lang: 'en' }, { title: 'B' }] }],
    ['subjects[].subject=one', { subjects: [{ subject: 'one' }] }],
    ['sizes[]=1 kB', { sizes: ['1 kB'] }],
    ['sizes[]=7', { sizes: ['7'] }],
    ['unknown.x=7', { unknown: { x: 7 } }],
    [
      'types.resourceTypeGeneral=Dataset',
      { types: { resourceTypeGeneral: 'Dataset', ris: 'GEN' } },
    ],
    ['publisher.name=Q', { publisher: { name: 'Q' } }],
  ])('%s', (text, touched) => {
    expect(set(text)).toEqual(touched);
  });
  it('adds up', () => {
    expect(set('subjects[].subject=one', 'subjects[].subject=two', 'version=2')).toEqual({
      subjects: [{ subject: 'one' }, { subject: 'two' }],
      version: '2',
    });
    expect(RECORD.subjects).toEqual([]);
  });
  it.each([
    '',
    '=x',
    'titles',
    '[0]=x',
    'titles[x]=1',
    'a..b=1',
    'a b=1',
    '__proto__.x=1',
    'titles[0]title=1',
  ])('refuses %j', (text) => {
    expect(() => parseAssignment(text)).toThrow(/(has no value|is not an assignment).* such as/);
  });
  it.each(["'language=en'", "'titles[0].title=A", '"language=en"', '“language=en”', "'language'"])(
    'names the quotes of %j',
    (text) => {
      expect(() => parseAssignment(text)).toThrow(/begins with a quote .*"path=value"/);
    },
  );
  it.each([
    'subjects=[{subject:sea}]',
    "subjects=[{'subject':'sea'}]",
    "subjects='[{subject:sea}]'",
    'subjects="[{subject:sea}]"',
    'subject=[{subject:sea}]',
    'subjects[]={subject:sea}',
    'publisher={name:Me}',
    'formats=[text/csv, image/png]',
    'creators[0].affiliation=[{name:Me}]',
    'types= {resourceTypeGeneral:Text} ',
  ])('does not take %j, which lost its quotes, for a text', (text) => {
    expect(() => parseAssignment(text)).toThrow(/is not JSON: if the shell removed its quotes/);
  });
  it.each([
    ['titles[0].title=[Untitled]', '[Untitled]'],
    ['titles[0].title={a}', '{a}'],
    ['publisher=Me {and you}', 'Me {and you}'],
    ['url=https://example.org/{suffix}', 'https://example.org/{suffix}'],
  ])('takes the brackets of %j for text', (text, value) => {
    expect(parseAssignment(text).value).toBe(value);
  });
  it.each(['url=https://example.org/{id}', 'url="https://example.org/{DOI}"'])(
    'refuses the brace in %j',
    (text) => {
      expect(() => parseAssignment(text)).toThrow(/does not belong to \{doi\}, \{prefix\} or/);
    },
  );
  it.each([
    ['titles[2].title=x', /is a list of 1 item/],
    ['titles.title=x', /is a list of 1 item/],
    ['publicationYear.x=1', /holds 2020/],
    ['types[0]=1', /types is not a list/],
  ])('refuses %s for this record', (text, message) => {
    expect(() => set(text)).toThrow(message);
  });
  it('touches no prototype', () => {
    expect(set('constructor.prototype.polluted=1')).toEqual({
      constructor: { prototype: { polluted: 1 } },
    });
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
  });
});

describe('a change', () => {
  it('is reported for each single value', () => {
    const changes = changesOf(RECORD, {
      titles: [{ title: 'B', lang: 'en' }, { title: 'C' }],
      publisher: 'P',
      publicationYear: '2020',
      url: null,
      version: '1',
      types: { resourceTypeGeneral: 'Text' },
    });
    expect(changes.map(changeText).join('')).toBe(
      [
        '- titles[0].title: "A"',
        '+ titles[0].title: "B"',
        '+ titles[1]: {"title":"C"}',
        '- url: "https://example.org/1"',
        '+ version: "1"',
        '- types.ris: "GEN"',
        '',
      ].join('\n'),
    );
  });
  it('is none where only the notation differs', () => {
    expect(changesOf(RECORD, { publisher: 'P', subjects: null, publicationYear: '2020' })).toEqual(
      [],
    );
  });
});
