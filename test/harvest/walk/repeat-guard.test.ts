import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { RecentSet, RepeatGuard, type WalkedPage } from '../../../src/harvest/walk/repeat-guard.ts';
import { cursorPage, pageOf } from '../../helpers/pages.ts';

const listOf = (ids: readonly string[]) => pageOf(cursorPage(ids));
const freshOf = ({ page, fresh }: WalkedPage) =>
  Array.from({ length: page.count }, (_, index) => index)
    .filter(fresh)
    .map((index) => page.id(index));

describe('the memory of a walk', () => {
  it('finds repeats within a page and across pages', () => {
    const guard = new RepeatGuard(false, 2);
    expect(freshOf(guard.check(listOf(['10.1/a', '10.1/b', '10.1/A'])))).toEqual([
      '10.1/a',
      '10.1/b',
    ]);
    expect(freshOf(guard.check(listOf(['10.1/c', '10.1/b'])))).toEqual(['10.1/c']);
  });

  it('keeps nothing of a page that it refuses', () => {
    const guard = new RepeatGuard(false);
    guard.check(listOf(['10.1/a']));
    expect(() => guard.check(listOf(['10.1/b', ' ']))).toThrow('a record has no id');
    expect(guard.has('10.1/b')).toBe(false);
    expect(freshOf(guard.check(listOf(['10.1/b'])))).toEqual(['10.1/b']);
  });
});

describe('the most recent strings', () => {
  it('are remembered exactly: at least as many as the size, at most twice as many', () => {
    const text = fc.integer({ min: 0, max: 30 }).map(String);
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 8 }),
        fc.array(text, { maxLength: 100 }),
        (size, texts) => {
          const recent = new RecentSet(size);
          let added: string[] = [];
          for (const text of texts) {
            const known = recent.has(text);
            expect(recent.add(text)).toBe(!known);
            if (known) expect(added.slice(-2 * size)).toContain(text);
            else added = [...added, text];
            for (const each of added.slice(-size)) expect(recent.has(each)).toBe(true);
          }
        },
      ),
    );
  });
});
