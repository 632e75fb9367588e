import { describe, expect, it } from 'vitest';
import { columnNamed, headerOf, STANDARD } from '../../../src/formats/spreadsheet/column.ts';

describe('the standard columns', () => {
  it('are values of the schema, each once', () => {
    expect(new Set(STANDARD).size).toBe(STANDARD.length);
    expect(STANDARD.filter((name) => columnNamed(name) === undefined)).toEqual([]);
    expect(() => headerOf(STANDARD, [])).not.toThrow();
  });
});

describe('the heads', () => {
  it.each([
    [['titel'], 'the column "titel" is not known; did you mean'],
    [['Title'], 'did you mean titles[0].title?'],
    [['ID'], 'the column "ID" is not known'],
    [['ORCID'], 'did you mean creators[0].orcid?'],
    [['creators[0].nome'], 'did you mean creators[0].name?'],
    [['titles[0]x'], 'is not known'],
    [['__proto__'], 'is not known'],
    [['doi', 'doi'], 'the columns doi and doi hold the same values'],
    [['titles', 'titles[0].title'], 'hold the same values'],
    [['subjects[7].subject', 'subjects[5+]'], 'hold the same values'],
    [
      ['creators[0].orcid', 'creators[0].nameIdentifiers[0].nameIdentifier'],
      'hold the same values',
    ],
  ])('%j are refused', (heads, message) => {
    expect(() => headerOf(heads, [])).toThrow(message);
  });

  it('ignore case and blanks, but guess nothing', () => {
    const spelled = {
      ...{
        DOI: 'doi',
        ' Url ': 'url',
        'Titles[0].Title': 'titles[0].title',
        'Publication Year': 'publicationYear',
      },
      ...{
        'CREATORS[0].ORCID': 'creators[0].orcid',
        'publisher.Ror': 'publisher.ror',
        'Subjects[5+]': 'subjects[5+]',
      },
      ...{ Client: 'client', 'Types.resourcetypegeneral': 'types.resourceTypeGeneral' },
    };
    const { columns, heads } = headerOf(Object.keys(spelled), []);
    expect(columns.map((column) => column?.name)).toEqual(Object.values(spelled));
    expect(heads).toMatchObject({ url: 'Url', 'titles[0].title': 'Titles[0].Title' });
    expect(() => headerOf(['DOI', 'doi'], [])).toThrow('hold the same values');
    expect(() => headerOf(['Constructor'], [])).toThrow('is not known');
  });

  it('take other names', () => {
    const map = [
      ['Titel', 'titles[0].title'],
      ['Notiz', ''],
    ] as const;
    const { columns, heads } = headerOf(['doi', 'Titel', 'Notiz', ''], map);
    expect(columns.map((column) => column?.name)).toEqual([
      'doi',
      'titles[0].title',
      undefined,
      undefined,
    ]);
    expect(heads).toEqual({ 'titles[0].title': 'Titel' });
    expect(() => headerOf(['doi'], map)).toThrow("--map: there is no column 'Titel'");
    expect(() => headerOf(['Titel'], [['Titel', 'titel']])).toThrow(
      "--map: the value 'titel' is not known; did you mean titles[0].title?",
    );
  });
});
