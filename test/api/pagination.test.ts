import { describe, expect, it } from 'vitest';
import { lastReachablePage, nextCursor, totalIn } from '../../src/api/pagination.ts';

const requested = new URL(
  'https://api.datacite.org/dois?provider-id=caltech&state=findable&subject=a+b&page%5Bsize%5D=1000&page%5Bcursor%5D=1',
);

describe('nextCursor', () => {
  it('does not alter the cursor, whatever it holds', () => {
    const cursor = 'a+b/c==%20"é';
    const next = `https://api.datacite.org/dois?page%5Bcursor%5D=${encodeURIComponent(cursor)}`;
    expect(nextCursor({ next }, requested)).toBe(cursor);
  });
  it('takes http for https, and never another host or port', () => {
    const next = 'http://api.datacite.org/dois?page[cursor]=x';
    expect(nextCursor({ next }, requested)).toBe('x');
    for (const origin of [
      'https://evil.example',
      'https://api.datacite.org:8443',
      'https://api.datacite.org.evil.example',
      'ftp://api.datacite.org',
    ]) {
      const other = `${origin}/dois?page[cursor]=x`;
      expect(() => nextCursor({ next: other }, requested)).toThrow(/another host/);
    }
  });
  it('ends where there is no link', () => {
    for (const links of [undefined, null, {}, { next: null }, { next: '' }, { self: 'x' }]) {
      expect(nextCursor(links, requested)).toBeNull();
    }
  });
  it('refuses a link that leads nowhere', () => {
    expect(() => nextCursor({ next: 7 }, requested)).toThrow(/not a URL/);
    expect(() => nextCursor({ next: 'https://' }, requested)).toThrow(/not a URL/);
    expect(() => nextCursor({ next: '/dois?page[number]=2' }, requested)).toThrow(/no cursor/);
  });
});

describe('totalIn', () => {
  it('takes whole numbers from 0 only', () => {
    expect([0, 7, 250].map((total) => totalIn({ total }))).toEqual([0, 7, 250]);
    for (const total of [-1, 2.5, 1e300, '7', null, true, [7], {}])
      expect(totalIn({ total })).toBeUndefined();
    for (const meta of [undefined, null, 7, 'x', []]) expect(totalIn(meta)).toBeUndefined();
  });
});

describe('lastReachablePage', () => {
  it('is where the service stops counting', () => {
    expect([25, 1000, 999, 7].map(lastReachablePage)).toEqual([400, 10, 10, 1428]);
  });
});
