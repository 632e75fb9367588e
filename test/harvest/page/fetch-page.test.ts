import { describe, expect, it } from 'vitest';
import { readPage } from '../../../src/harvest/page/fetch-page.ts';

const record = (index: number) =>
  `{"id":"10.5072/${index}","attributes":{"links":{"next":"no"},"a":"${'é'.repeat(500)}"}}`;
const records = Array.from({ length: 2000 }, (_, index) => record(index)).join(',');

describe('readPage', () => {
  it('reads a large body', async () => {
    const text = `{"data":[${records}],"links":{"next":"x"}}`;
    const page = await readPage({ body: async () => Buffer.from(text) });
    expect(page.count).toBe(2000);
    expect(Buffer.concat(page.lines()).toString()).toBe(
      `${records.replaceAll('},{"id"', '}\n{"id"')}\n`,
    );
  });
});
