import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { RecentIds } from '../../../src/harvest/walk/recent-ids.ts';

function placeOf(id: string) {
  // Not at the beginning of its bytes, as in a page.
  const bytes = Buffer.from(`"${id}"`);
  return { bytes, from: 1, to: bytes.length - 1 };
}

/** Adds an id unless it is known. */
function learn(ids: RecentIds, id: string): boolean {
  const known = ids.has(placeOf(id));
  if (!known) ids.add(placeOf(id));
  return known;
}

const ID = fc.string({ unit: fc.constantFrom('a', 'b', 'C', '0', '/', '.'), minLength: 1, maxLength: 5 });

describe('RecentIds', () => {
  it('knows the same ids as a set, whatever is undone, without regard to the case of letters', () => {
    const pages = fc.array(fc.record({ ids: fc.array(ID, { maxLength: 60 }), kept: fc.boolean() }), {
      maxLength: 40,
    });
    fc.assert(
      fc.property(pages, (walk) => {
        const ids = new RecentIds(Number.POSITIVE_INFINITY);
        let known = new Set<string>();
        for (const page of walk) {
          const now = new Set(known);
          for (const id of page.ids) {
            expect(learn(ids, id)).toBe(now.has(id.toLowerCase()));
            now.add(id.toLowerCase());
          }
          if (page.kept) known = now;
          if (page.kept) ids.keep();
          else ids.undo();
        }
      }),
    );
  });

  it('tells many ids apart, and remembers at least as many as it is asked to', () => {
    const ids = new RecentIds(5000);
    for (let number = 0; number < 30_000; number += 1) {
      expect(learn(ids, `10.5072/${number}`)).toBe(false);
      if (number % 100 === 0) ids.keep();
    }
    for (let number = 25_000; number < 30_000; number += 1) {
      expect(ids.has(placeOf(`10.5072/${number}`)), String(number)).toBe(true);
      expect(ids.has(placeOf(`10.5073/${number}`)), String(number)).toBe(false);
    }
    expect(ids.has(placeOf('10.5072/1'))).toBe(false);
  });
});
