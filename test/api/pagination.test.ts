import { describe, expect, it } from 'vitest';
import { lastReachablePage, nextPageUrl } from '../../src/api/pagination.ts';

const requested = new URL(
  'https://api.datacite.org/dois?provider-id=caltech&state=findable&subject=a+b&page%5Bsize%5D=1000&page%5Bcursor%5D=1',
);

describe('nextPageUrl', () => {
  it('puts back every parameter that the link lost', () => {
    const next =
      'https://api.datacite.org/dois?page%5Bcursor%5D=MTIz&page%5Bsize%5D=1000&provider-id=caltech';
    const url = nextPageUrl({ next }, requested);
    expect(Object.fromEntries(url?.searchParams ?? [])).toEqual({
      'provider-id': 'caltech',
      state: 'findable',
      subject: 'a b',
      'page[size]': '1000',
      'page[cursor]': 'MTIz',
    });
  });
  it('does not alter the cursor, whatever it holds', () => {
    const cursor = 'a+b/c==%20"é';
    const next = `https://api.datacite.org/dois?page%5Bcursor%5D=${encodeURIComponent(cursor)}`;
    expect(nextPageUrl({ next }, requested)?.searchParams.get('page[cursor]')).toBe(cursor);
  });
  it('keeps its own value where the link has another, and takes along what the service adds', () => {
    const next = '/dois?page[cursor]=x&state=draft&scroll=7';
    const params = nextPageUrl({ next }, requested)?.searchParams;
    expect([params?.getAll('state'), params?.get('scroll')]).toEqual([['findable'], '7']);
  });
  it('takes http for https, and never another host or port', () => {
    const next = 'http://api.datacite.org/dois?page[cursor]=x';
    expect(nextPageUrl({ next }, requested)?.origin).toBe('https://api.datacite.org');
    for (const origin of [
      'https://evil.example',
      'https://api.datacite.org:8443',
      'https://api.datacite.org.evil.example',
    ]) {
      expect(() => nextPageUrl({ next: `${origin}/dois?page[cursor]=x` }, requested)).toThrow(/another host/);
    }
    expect(() => nextPageUrl({ next: 'ftp://api.datacite.org/dois?page[cursor]=x' }, requested)).toThrow(
      /another host/,
    );
  });
  it('ends where there is no link', () => {
    for (const links of [undefined, null, {}, { next: null }, { next: '' }, { self: 'x' }]) {
      expect(nextPageUrl(links, requested)).toBeUndefined();
    }
  });
  it('refuses a link that leads nowhere', () => {
    expect(() => nextPageUrl({ next: 7 }, requested)).toThrow(/not a URL/);
    expect(() => nextPageUrl({ next: 'https://' }, requested)).toThrow(/not a URL/);
    expect(() => nextPageUrl({ next: '/dois?page[number]=2' }, requested)).toThrow(/no cursor/);
  });
});

describe('lastReachablePage', () => {
  it('is where the service stops counting', () => {
    expect([25, 1000, 999, 7].map(lastReachablePage)).toEqual([400, 10, 10, 1428]);
  });
});
