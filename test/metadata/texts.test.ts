import { describe, expect, it } from 'vitest';
import { checkRecord, findingText } from '../../src/metadata/check.ts';
import { emulate } from '../helpers/emulator.ts';
import { COMPLETE_RECORD } from '../helpers/records.ts';

const texts = (attributes: object) =>
  checkRecord({ ...COMPLETE_RECORD, ...attributes }, 'findable').map(findingText);
const ofTitle = (title: string) => texts({ titles: [{ title }] });
const ofName = (name: string) => texts({ creators: [{ name }] });

describe('the text by which a program prints a structure', () => {
  const STRUCTURE = /^warning: .* is what a program prints for a structure/;
  it.each([
    '[object Object]',
    'Depth of [object Object]',
    '[object Object],[object Object]',
    "[{'subject': 'sea'}]",
    "{'subject': 'sea', 'lang': None}",
    '{"subject":"sea"}',
    '[{"subject": "sea"}]',
    "['sea', 'lake']",
    "[['sea'], ['lake']]",
    "[('sea', 'FOS')]",
    "[u'sea']",
    "['sea' 'lake']",
    "('sea', 'lake')",
    "{'sea', 'lake'}",
    '[]',
    '{}',
    '{"subject"=>"sea"}',
    '{:subject=>"sea"}',
    '{subject: "sea"}',
    "[ { subject: 'sea' } ]",
    '{subject=sea}',
    '@{subject=sea}',
    '#<Hash:0x000055d0c0a0>',
    '#<struct Subject subject="sea">',
    '<__main__.Subject object at 0x7f1c2a3b4d50>',
    "OrderedDict([('subject', 'sea')])",
    "defaultdict(<class 'str'>, {'subject': 'sea'})",
    "array(['sea'], dtype=object)",
    'c("sea", "lake")',
    'list(subject = "sea")',
    'list(list(subject = "sea"))',
    'Array',
    'Array\n(\n    [0] => sea\n)\n',
    'HASH(0x55d0c0a0)',
    'map[subject:sea]',
    'System.Object[]',
    'System.Collections.Generic.List`1[System.String]',
    'java.lang.Object@1b6d3586',
    '[Ljava.lang.String;@1b6d3586',
    ' [object Object] ',
  ])('%j is a warning', (text) => {
    expect(ofTitle(text)).toEqual([expect.stringMatching(STRUCTURE)]);
    expect(ofName(text)).toEqual([expect.stringMatching(STRUCTURE)]);
    expect(texts({ subjects: [{ subject: text }] })).toContainEqual(
      expect.stringMatching(STRUCTURE),
    );
  });
  it.each([
    'Objects [in a list]',
    '[Letter to Jane Doe]',
    '[Letter] "from" Jane [1890]',
    "['t Zand]",
    '["Untitled"] and other works (a list)',
    '{Global} warming: a study {draft}',
    '{Depth: A Survey}',
    '(Z)-2-butene [E]',
    '[Fe(CN)6]4-',
    'c(x) = 2 (a function)',
    'list(s) of things (1890)',
    'Array (data structure)',
    'Arrays',
    'System.Text.Json',
    'System [of] a Down',
    'jane.doe@example',
    'Map of the lake',
    'map [scale 1:100]',
    '<i>Homo</i> sapiens',
    '5 < 6 at 0x7f',
  ])('%j is a title', (title) => {
    expect(ofTitle(title)).toEqual([]);
  });
  it('is no fault in a description of JSON, as Zenodo publishes references', () => {
    const description = '{"references": ["Haase, E. (1887)"]}';
    const descriptions = [{ description, descriptionType: 'Other' }];
    expect(texts({ descriptions })).toEqual([]);
    expect(
      texts({ descriptions: [{ description: "{'a': 1}", descriptionType: 'Other' }] }),
    ).toEqual([expect.stringMatching(STRUCTURE)]);
  });
  it('is found in a cell and in --set, and the record is still sent', async () => {
    const { run } = await emulate();
    const stdin = `doi,titles[0].title,subjects[0].subject\n10.5072/a,T,"[{'subject': 'sea'}]"\n`;
    expect(await run(['dois', 'create', '--file', '-'], { stdin })).toMatchObject({
      code: 0,
      stderr: expect.stringContaining(
        "column subjects[0].subject: \"[{'subject': 'sea'}]\" is what a program prints",
      ),
    });
    const set = ['dois', 'update', '10.5072/a', '--set', 'titles[0].title=[object Object]'];
    expect(await run(set)).toMatchObject({
      code: 0,
      stderr: expect.stringContaining('is what a program prints for a structure'),
    });
  });
  it('takes no longer to look for in a long text', () => {
    const begin = performance.now();
    for (const part of ["{'a','a'", '"a":', '[object ', '} ', ' ) ', '{ ', "['", "('a',", '&#'])
      ofTitle(part.repeat(200_000));
    expect(performance.now() - begin).toBeLessThan(5000);
  });
});

describe('a reference of HTML', () => {
  it.each([
    ['Fish &#38; chips', '&#38;', '&', 'Fish & chips'],
    ['M&uuml;ller', '&uuml;', 'ü', 'Müller'],
    ['M&#252;ller &#xE9;t&Eacute;', '&#252;', 'ü', 'Müller étÉ'],
    ['&ldquo;Depth&rdquo;', '&ldquo;', '“', '“Depth”'],
  ])('%j in a text of JSON is a warning', (text, reference, character, meant) => {
    for (const finding of [...ofTitle(text), ...ofName(text)])
      expect(finding).toMatch(
        `holds "${reference}" for "${character}": HTML, which is stored as it stands; did you mean ${meant}?`,
      );
    expect([ofTitle(text), ofName(text)].map(({ length }) => length)).toEqual([1, 1]);
  });
  it('whose character is not known is named alone', () => {
    for (const name of ['&ccaron;apek', '&Lstrok;&oacute;d&#0;'])
      expect(ofTitle(name)).toEqual([
        expect.stringMatching(/holds "&\w+;": HTML, which is stored as it stands$/),
      ]);
  });
  it('that the service writes itself is a fault in names only', () => {
    expect(ofTitle('Fish &amp; chips &lt; 5')).toEqual([]);
    expect(ofName('Fish &amp; Chips Ltd')).toEqual([
      expect.stringMatching(/did you mean Fish & Chips Ltd\?$/),
    ]);
  });
  it.each(['AT&T; Research', 'R&D; more', 'Q & A;', '<i>M&uuml;ller</i>'])('%j has none', (text) =>
    expect(ofTitle(text)).toEqual([]),
  );
  it('is read by the service in subjects', () => {
    expect(texts({ subjects: [{ subject: 'M&uuml;ller' }] })).toEqual([]);
  });
});

describe('a name of a person', () => {
  it.each([
    ['Doe, Jane; Roe, Jim', 'a semicolon'],
    ['Doe, Jane (0000-0002-1825-0097)', 'an ORCID iD'],
    ['Doe, Jane https://orcid.org/0000-0002-1825-0097', 'an ORCID iD'],
  ])('%j is a warning', (name, what) => {
    const contributors = [{ name, contributorType: 'Editor' }];
    for (const finding of [ofName(name), texts({ contributors })])
      expect(finding).toEqual([expect.stringContaining(`holds ${what}`)]);
  });
  it.each(['Doe, Jane', 'ORCID, Inc.', 'AT&T; Research', 'Unit 0000-0002'])('may be %j', (name) => {
    expect(ofName(name)).toEqual([]);
  });
});
