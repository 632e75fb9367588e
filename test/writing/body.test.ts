import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseRecord } from '../../src/formats/json/read.ts';
import { corrected } from '../../src/metadata/corrections.ts';
import { isStaleXml } from '../../src/metadata/kernel.ts';
import { asSent, documentOf } from '../../src/writing/body.ts';
import { runs } from '../helpers/runs.ts';

const value = fc.oneof(
  fc.constantFrom('text', '', null, 7, [], {}),
  fc.record({ name: fc.string(), affiliation: fc.jsonValue({ maxDepth: 2 }) }),
  fc.array(
    fc.record(
      {
        affiliation: fc.array(fc.oneof(fc.string(), fc.record({ name: fc.string() }))),
        sizes: fc.string(),
      },
      { requiredKeys: [] },
    ),
    { maxLength: 3 },
  ),
);
const names = [
  'creators',
  'contributors',
  'titles',
  'sizes',
  'relatedItems',
  'xml',
  'updated',
  'other',
];
const attributes = fc.dictionary(fc.constantFrom(...names), value);

const sentOf = (text: string) => {
  const { body } = documentOf(parseRecord(text, 'stdin'), undefined);
  return (JSON.parse(body) as { data: { attributes: object } }).data.attributes;
};

describe('a record as it is sent', () => {
  it('has the corrections, without xml that would undo a null, however it is written', () => {
    fc.assert(
      fc.property(
        attributes,
        fc.constantFrom(undefined, 1, '\t'),
        fc.boolean(),
        (given, space, isDocument) => {
          const whole = isDocument ? { data: { type: 'dois', attributes: given } } : given;
          const text = JSON.stringify(whole, undefined, space);
          // JSON has no -0.
          const { attributes: own } = parseRecord(text, 'stdin');
          const expected: Record<string, unknown> = { ...corrected(own).attributes };
          if (isStaleXml(own)) delete expected['xml'];
          expect(sentOf(text)).toEqual(expected);
          // A second time there is nothing left to do.
          expect(asSent(expected)).toEqual(expected);
        },
      ),
      { numRuns: runs(150) },
    );
  });

  it('keeps the spelling of attributes without a correction', () => {
    const text =
      '{"data":{"type":"dois","attributes":{ "version":1.0,"titles":[ {"title":"\\u00e9"}],"sizes":"a"}}}';
    expect(documentOf(parseRecord(text, 'stdin'), 'publish').body).toBe(
      '{"data":{"type":"dois","attributes":{"event":"publish","version":1.0,' +
        '"titles":[ {"title":"\\u00e9"}],"sizes":["a"]}}}',
    );
  });

  it('names no repository account, which a new record would belong to (service.md, W19)', () => {
    const client = { data: { type: 'clients', id: 'other.repo' } };
    const data = { type: 'dois', attributes: { version: '1' }, relationships: { client } };
    expect(documentOf(parseRecord(JSON.stringify({ data }), 'stdin'), undefined).body).toBe(
      '{"data":{"type":"dois","attributes":{"version":"1"}}}',
    );
  });

  it('has no number that another one takes the place of', () => {
    const box = '{"geoLocationPoint":{"pointLatitude":52.0,"pointLongitude":5.12345678901234567}}';
    const sent = (text: string) => () => sentOf(`{"geoLocations":${text}}`);
    expect(sent(`[${box}]`)).not.toThrow();
    expect(sent(box.replace('67}', '}'))).not.toThrow();
    expect(sent(box)).toThrow('would cut digits of the number 5.12345678901234567');
  });
});
