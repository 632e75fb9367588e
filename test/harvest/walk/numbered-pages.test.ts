import { describe, expect, it } from 'vitest';
import { walkNumbered } from '../../../src/harvest/walk/numbered-pages.ts';
import { selected, type WalkedPage } from '../../../src/harvest/walk/repeat-guard.ts';
import { pageOf } from '../../helpers/pages.ts';

const idsOf = (walked: WalkedPage): string[] =>
  [...selected(walked, walked.count)].map((record) => JSON.parse(record.toString()).id);

async function idsIn(pages: AsyncGenerator<WalkedPage>): Promise<string[]> {
  const ids: string[] = [];
  for await (const walked of pages) ids.push(...idsOf(walked));
  return ids;
}

describe('walkNumbered', () => {
  const url = (page: number) => new URL(`http://127.0.0.1/dois?page[number]=${page}`);
  const service = (pages: Record<number, unknown>) => async (asked: URL) =>
    pageOf(pages[Number(asked.searchParams.get('page[number]'))]);
  const page = (ids: readonly string[], number: number, total = 9) => ({
    data: ids.map((id) => ({ id })),
    meta: { total, page: number },
  });

  it('ends at a short page, at the last one asked for, and at the total', async () => {
    const range = { first: 1, last: 3, pageSize: 2 };
    const short = service({ 1: page(['a', 'b'], 1, 3), 2: page(['c'], 2, 3) });
    expect(await idsIn(walkNumbered(short, url, range))).toEqual(['a', 'b', 'c']);
    const full = service({
      1: page(['a', 'b'], 1),
      2: page(['c', 'd'], 2),
      3: page(['e', 'f'], 3),
    });
    const [last, four] = [2, ['a', 'b', 'c', 'd']];
    expect(await idsIn(walkNumbered(full, url, { ...range, last }))).toEqual(four);
    const exact = service({ 1: page(['a', 'b'], 1, 4), 2: page(['c', 'd'], 2, 4) });
    expect(await idsIn(walkNumbered(exact, url, range))).toEqual(four);
    const repeats = service({ 1: page(['a', 'b'], 1, 4), 2: page(['b', 'c'], 2, 4) });
    expect(await idsIn(walkNumbered(repeats, url, { ...range, last }))).toEqual(['a', 'b', 'c']);
  });

  it('stops when the page does not advance', async () => {
    const stuck = service({ 1: page(['a', 'b'], 1), 2: page(['c', 'd'], 1) });
    const pages = walkNumbered(stuck, url, { first: 1, last: 3, pageSize: 2 });
    expect(idsOf((await pages.next()).value)).toEqual(['a', 'b']);
    await expect(pages.next()).rejects.toThrow(/page 1 instead of page 2/);
  });
});
