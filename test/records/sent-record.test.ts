import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { corrected } from '../../src/metadata/corrections.ts';
import { isStaleXml } from '../../src/metadata/xml.ts';
import { parseRecord } from '../../src/records/document.ts';
import { asSent } from '../../src/records/sent-record.ts';

const value = fc.oneof(
  fc.constantFrom('text', '', null, 7, [], {}),
  fc.record({ name: fc.string(), affiliation: fc.jsonValue({ maxDepth: 2 }) }),
  fc.array(
    fc.record(
      { affiliation: fc.array(fc.oneof(fc.string(), fc.record({ name: fc.string() }))), sizes: fc.string() },
      { requiredKeys: [] },
    ),
    { maxLength: 3 },
  ),
);
const names = ['creators', 'contributors', 'titles', 'sizes', 'relatedItems', 'xml', 'updated', 'other'];
const attributes = fc.dictionary(fc.constantFrom(...names), value);

describe('a record as it is sent', () => {
  it('is its text with the corrections, without xml that would undo a null, however it is spelled', () => {
    fc.assert(
      fc.property(
        attributes,
        fc.constantFrom(undefined, 1, '\t'),
        fc.boolean(),
        (given, space, isDocument) => {
          const whole = isDocument ? { data: { type: 'dois', attributes: given } } : given;
          const record = parseRecord(JSON.stringify(whole, undefined, space), 'stdin');
          // JSON has no -0.
          const { attributes: own } = record;
          const sent = asSent(record);
          const expected: Record<string, unknown> = { ...corrected(own).attributes };
          if (isStaleXml(own)) delete expected['xml'];
          expect(sent.attributes).toEqual(expected);
          expect(parseRecord(sent.text, 'stdin')).toMatchObject({
            attributes: sent.attributes,
            positions: sent.positions,
          });
          if (JSON.stringify(expected) === JSON.stringify(own)) expect(sent).toBe(record);
          // A second time there is nothing left to do.
          expect(asSent(sent)).toBe(sent);
        },
      ),
      { numRuns: 500 },
    );
  });
});
