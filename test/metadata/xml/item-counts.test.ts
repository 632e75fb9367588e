import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { itemCounts } from '../../../src/metadata/xml/item-counts.ts';
import { emulate } from '../../helpers/emulator.ts';

const resource = (inner: string) =>
  `<resource xmlns="http://datacite.org/schema/kernel-4">${inner}</resource>`;

describe('the number of items in XML', () => {
  it.each([
    ['<dates><date>2020</date><date dateType="Issued"/></dates>', { dates: 1 }],
    [
      '<sizes><size> </size>1 MB<size>2 MB</size><size>2 MB</size></sizes><formats/>',
      { sizes: 2, formats: 0 },
    ],
    ['<x:subjects xmlns:x="y"><x:subject>a</x:subject></x:subjects>', { subjects: 1 }],
    ['<subjects><subject>a b</subject><subject> a  b </subject></subjects>', { subjects: 1 }],
    [
      '<subjects><subject>a</subject><subject>a</subject><subject subjectScheme="b">a</subject></subjects>',
      { subjects: 2 },
    ],
    ['<titles><title>a <b>c</b></title><title><![CDATA[d]]></title></titles>', { titles: 2 }],
    [
      '<geoLocations><geoLocation><geoLocationPoint><pointLatitude>1</pointLatitude></geoLocationPoint></geoLocation><geoLocation><geoLocationPlace/></geoLocation></geoLocations>',
      { geoLocations: 1 },
    ],
    ['<titles><title>', {}],
    ['', {}],
  ])('%s', (inner, counts) => {
    expect(itemCounts(resource(inner))).toEqual(counts);
  });

  it('is not above that of the record, unless the service drops items', async () => {
    const { run } = await emulate({ records: 0 });
    const folder = 'test/fixtures/xml/software';
    const files = readdirSync(folder).map((name) => `${folder}/${name}`);
    expect(files.length).toBeGreaterThan(1);
    for (const file of [...files, 'test/fixtures/xml/repository.xml']) {
      const create = ['dois', 'create', '--file', file, '--prefix', '10.5072', '--no-validate'];
      const { code, stdout, stderr } = await run([...create, '--format', 'json']);
      expect([code, stderr], file).toEqual([0, expect.not.stringContaining('kept')]);
      const { attributes } = JSON.parse(stdout);
      const counts = Object.entries(itemCounts(readFileSync(file, 'utf8')));
      const lists = counts.filter(([name]) => Array.isArray(attributes[name]));
      expect(lists.length, file).toBeGreaterThan(1);
      // The service also keeps items that have only attributes, such as rights.
      for (const [name, count] of lists)
        expect(attributes[name].length, `${file} ${name}`).toBeGreaterThanOrEqual(count);
    }
  });
});
