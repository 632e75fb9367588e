import { expect, it } from 'vitest';
import { PagesAhead } from '../../../src/harvest/list/pages-ahead.ts';
import { ALL_TIME } from '../../../src/harvest/walk/creation-time.ts';
import { Density } from '../../../src/harvest/windows/density.ts';
import { JobLimit } from '../../../src/harvest/windows/job-limit.ts';
import { pageOf } from '../../helpers/pages.ts';

const NOW = Date.UTC(2024, 0);
const PAGE_SIZE = 10;
const TOTAL = 20 * PAGE_SIZE;

it('keeps only the page unpacked that the walk takes next', async () => {
  const page = pageOf({ data: [{ id: '10.5072/a' }] });
  const time = Date.UTC(2015, 0);
  const numbers = { total: TOTAL, count: PAGE_SIZE, first: time, middle: time, last: time };
  const jobs = new JobLimit(4, 10);
  jobs.note(1000);
  jobs.start();
  const ahead = new PagesAhead({
    fetch: async () => ({ ...numbers, isLast: true, next: null, bytes: Buffer.alloc(1), page }),
    url: (span, cursor) => new URL(`?${span.from}&${cursor}`, 'http://list'),
    onEmpty: () => undefined,
    jobs,
    pageSize: PAGE_SIZE,
    density: new Density({ total: TOTAL, years: [], now: NOW }),
    total: TOTAL,
    mostBytes: 1e6,
    now: () => NOW,
  });
  ahead.resume('second', { ...numbers, asked: ALL_TIME, isLast: false }, PAGE_SIZE);
  const isUnpacked: boolean[] = [];
  for (const cursor of ['second', '1', '1']) {
    if (isUnpacked.length > 0) expect(ahead.advance()).toBe(true);
    isUnpacked.push((await ahead.take(cursor, PAGE_SIZE))?.packed.page === page);
  }
  ahead.stop();
  expect(isUnpacked).toEqual([true, false, false]);
});
