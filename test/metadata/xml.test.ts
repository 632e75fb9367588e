import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, it } from 'vitest';
import { prepareXml } from '../../src/metadata/libxml2.ts';
import { MalformedXml, readDataciteXml } from '../../src/metadata/xml.ts';

/** The official examples of kernel 4 (datacite/schema at 471512c, source/meta/kernel-4/example). */
const EXAMPLES = readFileSync('test/fixtures/examples/kernel-4-xml.ndjson', 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line) as { example: string; xml: string });
const XML = readFileSync('test/fixtures/xml/repository.xml', 'utf8');

beforeAll(prepareXml);
const read = (text: string) => readDataciteXml(Buffer.from(text));
const problemsOf = (text: string) => {
  const found = read(text);
  return found instanceof MalformedXml || found === undefined ? [found] : found.problems;
};
const inserted = (element: string, more: string, text = XML) =>
  text.replace(element, `${more}${element}`);

describe('the official examples', () => {
  it('are all there', () => expect(EXAMPLES).toHaveLength(31));
  it.each(EXAMPLES)('$example is valid', ({ xml }) => {
    const found = read(xml);
    expect(found).toMatchObject({ kernel: 'http://datacite.org/schema/kernel-4', problems: [] });
    expect(found).toMatchObject({ identifier: { text: expect.stringMatching(/^10\./) } });
  });
});

const WITHOUT_PUBLISHER = XML.replace(/<publisher>.*<.publisher>/, '');
const PREFIXED = XML.replaceAll(/<(\/?)(\w)/g, '<$1d:$2').replace('xmlns=', 'xmlns:d=');

const CONTRIBUTOR_TYPE = 'contributors/contributor[1]/@contributorType';
const LATITUDE = 'geoLocations/geoLocation[1]/geoLocationPoint/pointLatitude';

describe('a problem', () => {
  it.each([
    [inserted('<sizes>', '<nonsuch/>'), 'nonsuch', 42, 'is not expected'],
    [inserted('<sizes>', '<constructor/>'), 'constructor', 42, 'is not expected'],
    [XML.replace(' xml:lang', ' lang'), 'titles/title[1]/@lang', 18, 'is not allowed'],
    [XML.replace('lang="en"', 'lang="!"'), 'titles/title[1]/@xml:lang', 18, 'is not a valid'],
    [XML.replace(' contributorType="ContactPerson"', ''), CONTRIBUTOR_TYPE, 28, 'is missing'],
    [XML.replace('>A Repository<', '><'), 'publisher', 21, "has a length of '0'"],
    [XML.replace('>41.8<', '>141.8<'), LATITUDE, 57, "'141.8' is greater"],
    [inserted('<sizes>', '<dates>text</dates>'), 'dates[2]', 42, 'is not expected'],
    [inserted('<sizes>', `${'\n'.repeat(60_000)}<x/>`), 'x', 60_042, 'is not expected'],
    [XML.replace('"ContactPerson"', '"Reviewer"'), CONTRIBUTOR_TYPE, 28, 'of Metadata Schema 4.8'],
    [PREFIXED.replace('"Subtitle"', '"s"'), 'titles/title[2]/@titleType', 19, 'controlled list'],
  ])('has its path, line and reason: %#', (text, path, line, message) => {
    expect(problemsOf(text)).toEqual([
      expect.objectContaining({
        path: `resource/${path}`,
        line,
        message: expect.stringContaining(message),
      }),
    ]);
  });

  it('of a resource names the elements that it lacks', () => {
    const without = WITHOUT_PUBLISHER.replace(/<titles>.*?<.titles>/s, '');
    expect(problemsOf(WITHOUT_PUBLISHER)).toMatchObject([{ message: 'lacks publisher' }]);
    expect(problemsOf(without)).toMatchObject([{ message: 'lacks titles, publisher' }]);
    const unnamed = XML.replace(/<creatorName[^>]*>.*<.creatorName>/, '');
    expect(problemsOf(unnamed)).toMatchObject([
      { message: 'is not expected; expected is ( creatorName )' },
    ]);
  });

  it('with a list has the allowed values and the closest', () => {
    expect(problemsOf(XML.replace('"Subtitle"', '"subtitle"'))).toEqual([
      {
        ...{ path: 'resource/titles/title[2]/@titleType', line: 19 },
        ...{ message: 'is not in the controlled list', value: 'subtitle', suggestion: 'Subtitle' },
        allowed: ['AlternativeTitle', 'Subtitle', 'TranslatedTitle', 'Other'],
      },
    ]);
  });

  it('is none for an empty DOI, which the service replaces (service.md, S9)', () => {
    expect(problemsOf(XML.replace('10.5072/FROM-XML', ''))).toEqual([]);
    expect(problemsOf(XML.replace(/<identifier.*<.identifier>/, ''))).toMatchObject([
      { message: 'lacks identifier' },
    ]);
  });
});

describe('a document', () => {
  it('has its DOI, other identifiers and the items with text of each list', () => {
    const more = `<alternateIdentifiers>
      <alternateIdentifier alternateIdentifierType="DOI"> 10.5072/b </alternateIdentifier>
      </alternateIdentifiers><formats><format>a</format><format/><format> </format></formats>`;
    const text = XML.replace(/<(formats|alternateIdentifiers)>.*?<.\1>/gs, '');
    expect(read(text.replace('<version>', `${more}<version>`))).toMatchObject({
      identifier: { text: '10.5072/FROM-XML', type: 'DOI', path: 'resource/identifier' },
      otherIdentifiers: [
        {
          ...{ text: '10.5072/b', type: 'DOI' },
          path: 'resource/alternateIdentifiers/alternateIdentifier[1]',
        },
      ],
      counts: { titles: 2, creators: 2, formats: 1 },
    });
  });

  it('has its DOI behind many other elements', () => {
    const [element = ''] = /<identifier.*<.identifier>/.exec(XML) ?? [];
    const text = XML.replace(element, `${'<subject>a</subject>'.repeat(200)}${element}`);
    expect(read(text)).toMatchObject({ identifier: { text: '10.5072/FROM-XML' } });
  });

  it('of another schema is none, and one of an older kernel is not checked', () => {
    expect(read('<record xmlns="http://www.openarchives.org/OAI/2.0/"/>')).toBe(undefined);
    const other = 'xmlns="https://example.org" xmlns:d="http://datacite.org/schema/kernel-4"';
    expect(read(XML.replace(/xmlns="[^"]*"/, other))).toBe(undefined);
    expect(read(XML.replaceAll('kernel-4', 'kernel-3'))).toMatchObject({ problems: [] });
  });
});

const doctype = (declarations: string, text: string) =>
  XML.replace('<resource', `<!DOCTYPE resource [${declarations}]>\n<resource`).replace(
    '&amp;',
    text,
  );
const DECLARED = '<!ENTITY copy "&#169;">';
const LAUGHS = Array.from(
  { length: 9 },
  (_, at) => `<!ENTITY l${at + 1} "${`&l${at};`.repeat(10)}">`,
);
const SCHEMA = 'schemaLocation="urn:x file:///etc/hostname urn:y include/xml.xsd"';

describe('hostile XML', () => {
  it.each([
    ['in elements', DECLARED, '&copy;'],
    ['of other files', '<!ENTITY a SYSTEM "file:///etc/hostname">', '&a;'],
    ['of the network', '<!ENTITY a SYSTEM "http://127.0.0.1:1/a">', '&a;'],
  ])('with entities %s has one problem, and nothing is loaded', (_, declarations, text) => {
    expect(problemsOf(doctype(declarations, text))).toEqual([
      expect.objectContaining({
        message: expect.stringContaining('xmllint --noent'),
        isUnreadable: true,
      }),
    ]);
  });

  it.each([
    ['entities that are declared and not used', doctype(DECLARED, '&#169;')],
    [
      'a document type in another file',
      XML.replace('<resource', '<!DOCTYPE resource SYSTEM "http://127.0.0.1:1/"><resource'),
    ],
    ['places of other schemas', XML.replace(/schemaLocation="[^"]*"/, SCHEMA)],
  ])('with %s is valid, and nothing is loaded', (_, text) => {
    expect(problemsOf(text)).toEqual([]);
  });

  it.each([
    ['a billion laughs', doctype(`<!ENTITY l0 "lol">${LAUGHS.join('')}`, '&l9;'), 'amplification'],
    [
      'an entity in itself',
      doctype('<!ENTITY a "&b;"><!ENTITY b "&a;">', '&a;'),
      'entity reference loop',
    ],
    ['an entity without declaration', XML.replace('&amp;', '&nbsp;'), "'nbsp' not defined"],
    ['a depth of 50,000', inserted('<sizes>', '<a>'.repeat(50_000)), 'Excessive depth'],
    ['a text of 11 MB', XML.replace('A Repository', 'x'.repeat(11e6)), 'Text node too long'],
    ['unknown prefixes', inserted('<sizes>', '<x:a/>'.repeat(50_000)), 'prefix x on a'],
    ['no end', XML.slice(0, 900), 'Premature end'],
    ['a zero', XML.replace('A Repository', 'A\0'), 'Invalid character'],
  ])('with %s is refused at once', (_, text, message) => {
    const found = read(text);
    expect(found).toBeInstanceOf(MalformedXml);
    expect((found as MalformedXml).message).toContain(message);
    expect((found as MalformedXml).message).not.toMatch(/xml_parse|xmlctxt/i);
  });

  const SUBJECT = '<subject schemeURI="%">A</subject>';
  const RELATED = '<relatedIdentifier relatedIdentifierType="X" relationType="Y" a=""/>';
  it.each([
    ['15,000 wrong elements', 'dates', '<date dateType="Issued"><a/></date>'.repeat(15_000), 14],
    ['15,000 wrong values', 'subjects', SUBJECT.repeat(15_000), 14],
    ['a wrong end', 'subjects', '<subject>A</subject>'.repeat(15_000) + SUBJECT.repeat(2000), 1],
    ['three problems each', 'relatedIdentifiers', RELATED.repeat(10_000), 29],
  ])('with %s names the first thousand problems', (_, name, items, thousands) => {
    const text = XML.replace(new RegExp(`<${name}>.*</${name}>`, 's'), '');
    const start = process.cpuUsage();
    const problems = problemsOf(inserted('<sizes>', `<${name}>${items}</${name}>`, text));
    const { user, system } = process.cpuUsage(start);
    expect(problems).toHaveLength(1000);
    const message = `has ${thousands},001 more problems`;
    expect(problems.at(-1)).toMatchObject({ path: 'resource', message });
    expect((user + system) / 1e6).toBeLessThan(5);
  });

  it('with 8 MB of unknown elements is not checked further', () => {
    const text = XML.replace(/(<description [^>]*>)/, `$1${'<a/>'.repeat(2e6)}`);
    expect(problemsOf(text)).toMatchObject([
      { message: expect.stringMatching(/^has 2,000,\d+ elements, more than/), isUnreadable: true },
    ]);
  });

  it('keeps no memory, valid or not', () => {
    const texts = [XML, XML.replace('"Subtitle"', '"x"'), XML.slice(0, 900)].map((text) =>
      Buffer.from(text),
    );
    const readAll = (times: number) => {
      for (let time = 0; time < times; time += 1) for (const text of texts) readDataciteXml(text);
      return process.memoryUsage().external;
    };
    const first = readAll(200);
    // 3,000 documents would take a hundred megabytes.
    expect(readAll(1000) - first).toBeLessThan(20e6);
  });
});
