import fc from 'fast-check';
import { expect, it } from 'vitest';
import { SeenDois } from '../../src/writing/survey.ts';

it('knows the line of each DOI, as a map of lower-case DOIs does', () => {
  const doi = fc
    .constantFrom('10.5072/a', '10.5072/A', '10.5072/b', '10.1/ä', '10.1/Ä', '')
    .map(String);
  fc.assert(
    fc.property(fc.array(doi, { maxLength: 30 }), (dois) => {
      const [seen, map] = [new SeenDois(), new Map<string, number>()];
      for (const [index, text] of dois.entries()) {
        const before = map.get(text.toLowerCase());
        expect(seen.add(text, index + 1)).toBe(before);
        if (before === undefined) map.set(text.toLowerCase(), index + 1);
      }
    }),
  );
});

it('grows with the number of DOIs', () => {
  const seen = new SeenDois();
  for (let line = 1; line <= 20_000; line += 1)
    expect(seen.add(`10.5072/${line}`, line)).toBeUndefined();
  for (const line of [1, 512, 513, 9_999, 20_000])
    expect(seen.add(`10.5072/${line}`, 1)).toBe(line);
});
