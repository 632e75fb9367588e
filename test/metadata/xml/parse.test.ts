import { describe, expect, it } from 'vitest';
import { MalformedXml, parsedXml } from '../../../src/metadata/xml/parse.ts';
import { readDataciteXml } from '../../../src/metadata/xml/read.ts';

const resource = (children: number) =>
  `<resource xmlns="http://datacite.org/schema/kernel-4">${'<x/>'.repeat(children)}</resource>`;

describe('XML with very many elements', () => {
  it('is refused before it is parsed', () => {
    expect(parsedXml(resource(300_000))).toEqual(
      new MalformedXml({ message: 'It has more than 300,000 tags', line: 1, column: 1 }),
    );
  });

  it('is read below the limit', () => {
    expect(readDataciteXml(resource(150_000))).toMatchObject({ identifier: undefined });
  });
});
