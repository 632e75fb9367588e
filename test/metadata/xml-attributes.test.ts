import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cleanHtml } from '../../src/emulator/records/metadata/html.ts';
import { checkRecord } from '../../src/metadata/check.ts';
import { MalformedXml } from '../../src/metadata/xml/parse.ts';
import { storedFromXml, xmlDifference, xmlOf } from '../../src/metadata/xml-attributes.ts';
import { emulate } from '../helpers/emulator.ts';
import { runs } from '../helpers/runs.ts';

const TITLE = '<title>T</title>';
const TITLES = `<titles>${TITLE}</titles>`;
const YEAR = '<publicationYear>2024</publicationYear>';
const PUBLISHER = '<publisher>P</publisher>';
const TEXT = `<?xml version="1.0"?>
<resource xmlns="http://datacite.org/schema/kernel-4"><identifier identifierType="DOI">10.5072/ABC</identifier>
<creators><creator><creatorName>A</creatorName></creator></creators>${TITLES}${PUBLISHER}${YEAR}
<resourceType resourceTypeGeneral="Dataset"/></resource>`;
const xmlWith = (from: string | RegExp, to: string) => ({
  xml: Buffer.from(TEXT.replace(from, to)).toString('base64'),
});
const create = 'dois create --file - --url https://example.org/1'.split(' ');

/** What bolognese and maremma make of the same XML (service.md, S9). */
describe('what a record holds of its XML', () => {
  it.each([
    [
      'an element in a title',
      'T</title>',
      'a <it>01</it> b</title>',
      'titles',
      [{ title: 'a  b' }],
    ],
    ['an empty element in it', 'T</title>', 'a<br/>b</title>', 'titles', [{ title: 'ab' }]],
    ['an empty title', TITLE, `${TITLE}<title/>`, 'titles', [{ title: 'T' }, {}]],
    [
      'a reference in HTML',
      'T</title>',
      'Caf&amp;eacute;</title>',
      'titles',
      [{ title: 'Caf&eacute;' }],
    ],
    ['half a tag', 'T</title>', 'x &lt;y z</title>', 'titles', [{ title: 'x <y z' }]],
    ['an upper-case tag', 'T</title>', '<B>x</B> y</title>', 'titles', [{ title: 'y' }]],
    [
      'two publishers',
      PUBLISHER,
      `${PUBLISHER}<publisher>Q</publisher>`,
      'publisher',
      { name: 'P' },
    ],
    [
      'two years',
      YEAR,
      `${YEAR}<publicationYear>2025</publicationYear>`,
      'publicationYear',
      '2024',
    ],
    ['two versions', YEAR, `${YEAR}<version>1</version><version>2</version>`, 'version', '1'],
  ])('is sure without %s, and a Draft of it is created', async (_, from, to, name, value) => {
    const sent = xmlWith(from, to);
    expect(xmlOf(sent)).toMatchObject({ attributes: { [name]: value } });
    expect(storedFromXml(sent)).not.toHaveProperty(name);
    const emulator = await emulate();
    const { code, stderr } = await emulator.run(create, { stdin: TEXT.replace(from, to) });
    expect(code, stderr).toBe(0);
  });

  it.each(['Salt &amp;amp; Pepper', '<![CDATA[H<sub>2</sub>O]]>', 'H<sub>2</sub>O &amp; <i>x</i>'])(
    'is sure with the title %s, and a Draft of it is created',
    async (title) => {
      expect(storedFromXml(xmlWith(TITLE, `<title>${title}</title>`))).toHaveProperty('titles');
      const emulator = await emulate();
      const { code, stderr } = await emulator.run(create, {
        stdin: TEXT.replace('T</title>', `${title}</title>`),
      });
      expect(code, stderr).toBe(0);
    },
  );
});

describe('malformed XML', () => {
  it('has its column behind tags of HTML, too', () => {
    const found = (title: string) => xmlOf(xmlWith(TITLE, `\n<title>${title} & y</title>`));
    expect(found('H<sub>2</sub>O <b>x</b>')).toBeInstanceOf(MalformedXml);
    expect({ ...found('H<sub>2</sub>O <b>x</b>') }).toEqual({
      ...found('H(sub)2(/sub)O (b)x(/b)'),
    });
  });
});

describe('an update with XML', () => {
  it('shows that the date of issue goes, which the service no longer makes of the year', () => {
    const dates = '<dates><date dateType="Issued">2024</date></dates>';
    const [before, after] = xmlDifference(xmlWith(YEAR, YEAR + dates), xmlWith(YEAR, YEAR)) ?? [];
    expect(before?.['dates']).toEqual([{ date: '2024', dateType: 'Issued' }]);
    expect(after?.['dates']).toBe(null);
  });
});

/** The text of a title that the service stores (service.md, S10), and what is lost of it. */
describe('a text of XML', () => {
  const escaped = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
  const lostOf = (text: string) =>
    checkRecord(xmlWith('T</title>', `${escaped(text)}</title>`), 'draft')
      .filter(({ message }) => message.startsWith('would be lost'))
      .map(({ path, value }) => [path, value]);

  it.each([
    // The results of libxml2 2.13.9 with Loofah and bolognese's WhitelistScrubber.
    ['a<Zn and b>Fe', '<Zn and b>', 'aFe'],
    ['p<i', '<i', 'p<i></i>'],
    ['a<b c="x>y" d', '<b c="x>y" d', 'a<b></b>'],
    ['a<!-- c -->b<!x>c', '<!-- c --> … <!x>', 'abc'],
    ['a<!-- c', '<!-- c', 'a'],
    ['a<?php x ?>b', '<?php x ?>', 'ab'],
    ['<p>q</p><br/>', '<p> … </p>', 'q<br>'],
    ['x <mean>', '<mean>', 'x '],
    ['a</ b>', '</', 'a b&gt;'],
    ['a < b, p<0.05, <é>, <- <=', undefined, 'a &lt; b, p&lt;0.05, &lt;é&gt;, &lt;- &lt;='],
    ['H<sub>2</sub>O <I>x</I> <em >y</em>', undefined, 'H<sub>2</sub>O <i>x</i> <em>y</em>'],
    ['x <i>y', undefined, 'x <i>y</i>'],
  ])('%s', (text, lost, stored) => {
    expect(lostOf(text)).toEqual(lost === undefined ? [] : [['resource/titles/title[1]', lost]]);
    expect(cleanHtml(text)).toBe(stored);
  });

  const PIECES = `<|>|<i>|</i>|<b|<sub>|Zn|b|1|é| |=|"|'|/|!|?|-|<!--|-->|</|<p>|<br/>|&lt;|.|:|_|< |,`;
  const TAG = /<\/?(?:i|b|sub|br)(?:\s+[a-z][\w:.-]*\s*=\s*(?:"[^"]*"|'[^']*'))*\s*\/?>/gi;
  it('is warned of exactly if the service keeps less of it', () => {
    const plain = (html: string) =>
      html
        .replaceAll(/<[^>]*>/g, '')
        .replaceAll(/&(lt|gt|amp);/g, (_, name: string) => ({ lt: '<', gt: '>' })[name] ?? '&');
    const pieces = fc.array(fc.constantFrom(...PIECES.split('|')), { maxLength: 12 });
    fc.assert(
      fc.property(pieces, (parts) => {
        const text = parts.join('');
        const bare = text.replaceAll(TAG, '').replaceAll('&lt;', '<');
        const kept = plain(cleanHtml(text));
        expect([text, lostOf(text).length > 0]).toEqual([text, kept.length < bare.length]);
      }),
      { numRuns: runs(100) },
    );
  });

  it('is read as HTML in some elements only', () => {
    const inner = (name: string) => `&lt;${name}>`;
    const more = `${YEAR}<subjects><subject>${inner('s')}</subject></subjects>
<sizes><size>${inner('z')}</size></sizes><formats><format>${inner('f')}</format></formats>
<version>${inner('v')}</version><rightsList><rights>${inner('r')}</rights></rightsList>
<descriptions><description descriptionType="Other">${inner('d')}</description></descriptions>
<relatedItems><relatedItem relatedItemType="Book" relationType="Cites">
<titles><title>${inner('t')}</title></titles><volume>${inner('v')}</volume></relatedItem></relatedItems>`;
    const values = checkRecord(xmlWith(YEAR, more), 'draft')
      .filter(({ message }) => message.startsWith('would be lost'))
      .map(({ value }) => value);
    expect(values).toEqual(['<s>', '<z>', '<f>', '<d>', '<t>']);
    expect(checkRecord({ subjects: [{ subject: 'a<Zn' }] }, 'draft')).toMatchObject([
      { severity: 'warning', path: 'subjects[0].subject', value: '<Zn' },
    ]);
  });
});

describe('the names of a document', () => {
  it.each(['constructor', '__proto__', 'toString', 'hasOwnProperty'])('may be %s', (name) => {
    const findings = checkRecord(xmlWith(YEAR, `${YEAR}<${name}>1</${name}>`), 'draft');
    expect(findings).toMatchObject([
      { path: `resource/${name}`, message: expect.stringContaining('not an element') as string },
    ]);
  });

  it.each([
    ['<x:sizes/>', 'resource/x:sizes'],
    ['<sizes x:a="1"/>', 'resource/sizes'],
  ])('have declared prefixes, unlike %s', (element, path) => {
    expect(checkRecord(xmlWith(YEAR, YEAR + element), 'draft')).toMatchObject([
      { severity: 'error', path, message: 'has the prefix x, which is not declared' },
    ]);
  });

  it('have a root in the namespace of a kernel', () => {
    const other = 'xmlns="https://example.org" xmlns:d="http://datacite.org/schema/kernel-4"';
    expect(xmlOf(xmlWith(/xmlns="[^"]*"/, other))).toBe(undefined);
    const prefixed = TEXT.replaceAll(/<(\/?)(\w)/g, '<$1d:$2').replace('xmlns=', 'xmlns:d=');
    const xml = Buffer.from(prefixed).toString('base64');
    expect(checkRecord({ xml, url: 'https://example.org/1' }, 'findable')).toEqual([]);
  });
});

describe('an entity', () => {
  const type = (declarations: string) => `<!DOCTYPE resource [${declarations}]><resource `;
  const NESTED = '<!ENTITY copy "&#169;"><!ENTITY all "&copy; &#38;lt;">';
  const read = (declarations: string, title: string) =>
    xmlOf(xmlWith(/<resource (.*)T<.title>/s, `${type(declarations)}$1${title}</title>`));

  it('of the document is replaced', () => {
    const text = 'Depth &all; <![CDATA[&all;]]>';
    expect(read(NESTED, text)).toMatchObject({
      attributes: { titles: [{ title: 'Depth © < &all;' }] },
      problems: [{ path: 'resource', message: expect.stringContaining('entities') as string }],
    });
  });

  const LAUGHS = Array.from(
    { length: 9 },
    (_, at) => `<!ENTITY l${at + 1} "${`&l${at};`.repeat(10)}">`,
  );
  it.each([
    ['in itself', '<!ENTITY a "&b;"><!ENTITY b "&a;">', '&a;', 'contains itself'],
    ['of another file', '<!ENTITY a SYSTEM "file:///etc/hostname">', '&a;', 'is in another file'],
    ['with too much text', `<!ENTITY l0 "lol">${LAUGHS.join('')}`, '&l9;', 'has too much text'],
    ['that is not declared', NESTED, '&none;', 'none'],
  ])('%s is refused', (_, declarations, title, message) => {
    const found = read(declarations, title);
    expect(found).toBeInstanceOf(MalformedXml);
    expect((found as MalformedXml).message).toContain(message);
  });

  it('is replaced in files before they are sent, because the service checks none', async () => {
    const { run } = await emulate();
    const stdin = TEXT.replace('<resource ', type(NESTED)).replace('T</title>', '&all;</title>');
    const sent = await run([...create, '--event', 'publish', '--format', 'json'], { stdin });
    expect([sent.code, sent.stderr]).toEqual([0, '']);
    expect(sent.stdout).toContain('"title": "© &lt;"');
    const xml = Buffer.from(stdin).toString('base64');
    const json = JSON.stringify({ doi: '10.5072/e', url: 'https://example.org/', xml });
    const refused = await run(
      ['dois', 'create', '--file', '-', '--event', 'publish', '--no-validate'],
      { stdin: json },
    );
    expect(refused.stderr).toContain('at least one entity reference');
    const draft = await run(['dois', 'create', '--file', '-', '--format', 'json'], { stdin: json });
    expect(draft.stderr).toContain('refers to entities');
    expect(draft.stdout).toContain('"title": "© &lt;"');
  });
});

it('XML with an element in an affiliation loses its text, and says so', () => {
  const affiliation =
    '<affiliation>Uni <x:i xmlns:x="http://x.example">One</x:i> two</affiliation>';
  const xml = xmlWith('</creatorName>', `</creatorName>${affiliation}`);
  expect(checkRecord(xml, 'findable')).toContainEqual(
    expect.objectContaining({
      severity: 'warning',
      path: 'resource/creators/creator[1]/affiliation[1]/i',
      message: 'is not an element of affiliation: the service drops its text',
    }),
  );
});

describe('many wrong elements', () => {
  it('are found in a time that grows with their number', () => {
    const wrong = '<relatedIdentifier relatedIdentifierType="X" relationType="Y" a=""/>';
    const timeOf = (count: number) => {
      const list = `${YEAR}<relatedIdentifiers>${wrong.repeat(count)}</relatedIdentifiers>`;
      const start = process.cpuUsage();
      expect(checkRecord(xmlWith(YEAR, list), 'findable').length).toBeGreaterThan(count);
      const { user, system } = process.cpuUsage(start);
      return user + system;
    };
    const few = Math.min(timeOf(300), timeOf(300), timeOf(300));
    expect(timeOf(6_000) / few).toBeLessThan(100);
  });
});

const POINT =
  '<geoLocationPoint><pointLongitude>1</pointLongitude><pointLatitude>2</pointLatitude></geoLocationPoint>';
const placeOf = (inner: string) =>
  `${YEAR}<geoLocations><geoLocation>${inner}</geoLocation></geoLocations>`;

/** What the service cannot read, Draft or not (service.md, S9). */
describe('XML of a Draft', () => {
  it.each([
    ['several points', YEAR, placeOf(POINT + POINT), 'geoLocationPoint[2]'],
    ['a list that is a text', YEAR, `${YEAR}<dates>2020</dates>`, 'dates'],
    [
      'a type that is a text',
      'resourceTypeGeneral="Dataset"/>',
      '>Data</resourceType>',
      '@resourceTypeGeneral',
    ],
    [
      'an identifier without attributes',
      'A</creatorName>',
      'A</creatorName><nameIdentifier>1</nameIdentifier>',
      '@nameIdentifierScheme',
    ],
  ])('with %s is refused', async (_, from, to, end) => {
    const text = TEXT.replace(from, to).replace('<resourceType >', '<resourceType>');
    const errors = checkRecord({ xml: Buffer.from(text).toString('base64') }, 'draft').filter(
      ({ severity }) => severity === 'error',
    );
    expect(errors.map(({ path }) => path)).toEqual([
      expect.stringMatching(`${end.replace(/[[\]]/g, '.')}$`),
    ]);
    const { run } = await emulate();
    expect((await run([...create, '--no-validate'], { stdin: text })).code).not.toBe(0);
  });

  it('with one point is taken', () => {
    const sent = xmlWith(YEAR, placeOf(POINT));
    expect(checkRecord(sent, 'draft').filter(({ severity }) => severity === 'error')).toEqual([]);
  });
});
