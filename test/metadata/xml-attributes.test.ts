import { beforeAll, describe, expect, it } from 'vitest';
import { checkRecord, type Target } from '../../src/metadata/check.ts';
import { prepareXml } from '../../src/metadata/libxml2.ts';
import { lostItems, xmlOf } from '../../src/metadata/xml-attributes.ts';
import { emulate } from '../helpers/emulator.ts';

const CREATOR = '<creator><creatorName>A</creatorName></creator>';
const YEAR = '<publicationYear>2024</publicationYear>';
const TEXT = `<?xml version="1.0"?>
<resource xmlns="http://datacite.org/schema/kernel-4"><identifier identifierType="DOI">10.5072/ABC</identifier>
<creators>${CREATOR}</creators><titles><title>T</title></titles><publisher>P</publisher>${YEAR}
<resourceType resourceTypeGeneral="Dataset"/></resource>`;
const URL = 'https://example.org/1';
const base64 = (text: string) => Buffer.from(text).toString('base64');
const xmlWith = (more: string, text = TEXT) => ({
  ...{ doi: '10.5072/abc', url: URL },
  xml: base64(text.replace(YEAR, YEAR + more)),
});
const found = (attributes: object, target: Target) =>
  checkRecord(attributes, target).map(({ severity, path, message }) => [severity, path, message]);

beforeAll(prepareXml);

describe('a problem of XML', () => {
  it('is an error for a registered record and a warning for a Draft', () => {
    const [path, message] = ['resource/nonsuch', expect.stringContaining('is not expected')];
    expect(found(xmlWith('<nonsuch/>'), 'findable')).toEqual([['error', path, message]]);
    expect(found(xmlWith('<nonsuch/>'), 'draft')).toEqual([['warning', path, message]]);
  });

  // What the service refuses in a Draft as well (service.md, S4, S9, S11).
  it('is an error even for a Draft with a list that is there twice', () => {
    const path = 'resource/sizes[2]';
    expect(found(xmlWith('<sizes/><sizes/>'), 'draft')).toEqual([
      ['error', path, expect.any(String)],
    ]);
  });

  it('is none next to attributes, of which the service makes new XML (service.md, W16)', () => {
    expect(found({ ...xmlWith('<nonsuch/>'), subjects: [] }, 'findable')).toEqual([]);
  });
});

it('a text that is not XML, and the XML of a record that was read, are not read as XML', () => {
  expect(xmlOf({ xml: base64('@article{a}') })).toBe(undefined);
  expect(xmlOf({ ...xmlWith(''), updated: '2024-01-01', titles: [] })).toBe(undefined);
});

describe('entities of a document type', () => {
  const text = TEXT.replace('<resource ', '<!DOCTYPE resource [<!ENTITY c "&#169;">]>\n<resource ');
  const stdin = text.replace('T</title>', '&c;</title>');
  const create = ['dois', 'create', '--file', '-'];

  it.each([[[]], [['--event', 'publish']]])('are refused, with a remedy: %j', async (event) => {
    const { run, log } = await emulate();
    const { code, stderr } = await run([...create, '--url', URL, ...event], { stdin });
    expect([code, stderr]).toEqual([2, expect.stringContaining('as with xmllint --noent')]);
    const json = JSON.stringify({ doi: '10.5072/e', url: URL, xml: base64(stdin) });
    expect(await run([...create, ...event], { stdin: json })).toMatchObject({ code: 2 });
    expect((await log()).filter(({ method }) => method !== 'GET')).toEqual([]);
  });

  it('are sent as they are with --no-validate, and when nothing refers to them', async () => {
    const { run } = await emulate();
    const sent = await run([...create, '--url', URL, '--no-validate'], { stdin });
    expect([sent.code, sent.stderr]).toEqual([0, '']);
    const { attributes } = JSON.parse(sent.stdout) as { attributes: { xml: string } };
    expect(Buffer.from(attributes.xml, 'base64').toString()).toBe(stdin);
    const unused = text.replace('10.5072/ABC', '10.5072/DEF');
    const published = [...create, '--url', URL, '--event', 'publish'];
    expect(await run(published, { stdin: unused })).toMatchObject({ code: 0 });
  });
});

describe('items that a record lacks', () => {
  const sent = xmlWith('<sizes><size>a</size><size>b</size><size> </size></sizes>');
  it.each([
    [sent, { sizes: ['a'], titles: [{}] }, ['the service kept 1 of 2 sizes']],
    [sent, { sizes: ['a', 'b'], titles: [], creators: [{}] }, ['the service kept 0 of 1 titles']],
    [sent, { sizes: ['a', 'b', 'c'], titles: [{}] }, []],
    // Attributes next to the XML win.
    [{ ...sent, sizes: [] }, { sizes: [] }, []],
    [
      xmlWith('<subjects><subject>a</subject><subject>a</subject></subjects>'),
      { subjects: [] },
      [],
    ],
    [{ titles: [{}] }, { titles: [] }, []],
  ])('are counted: %#', (attributes, stored, messages) => {
    expect(lostItems(attributes, stored).map(({ message }) => message)).toEqual(messages);
  });
});
