import { expect, it } from 'vitest';
import { pageFooter } from '../../../../src/commands/dois/list/numbered.ts';

it.each([
  [
    { records: 25, total: 8600, first: 1, pageSize: 25 },
    '25 of 8,600 DOIs, page 1 of 344: --page 2 shows more, --all lists every one',
  ],
  [
    { records: 25, total: 8600, first: 344, pageSize: 25 },
    '25 of 8,600 DOIs, page 344 of 344: --all lists every one',
  ],
  // Numbered pages end at the 10,000th record.
  [
    { records: 1000, total: 20_000, first: 10, pageSize: 1000 },
    '1,000 of 20,000 DOIs, page 10 of 20: --all lists every one',
  ],
  [
    { records: 7, total: 300, first: 1, pageSize: 25, limit: 7 },
    '7 of 300 DOIs: --all lists every one',
  ],
  [{ records: 0, total: 300, first: 1, pageSize: 0 }, '0 of 300 DOIs: --all lists every one'],
])('%j ends with %j', (page, footer) => {
  expect(pageFooter(page, 'limit' in page ? page.limit : undefined)).toBe(footer);
});
