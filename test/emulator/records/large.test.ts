import { describe, expect, it } from 'vitest';
import { startEmulator } from '../../../src/emulator/index.ts';
import { DEMO, ids, serviceWith } from '../service.ts';

const RECORDS = 100_000_000;
const COUNT = 'page[size]=0&disable-facets=true';

// To go through all of them would take longer than a test may.
describe('a hundred million records', () => {
  it('start in little memory', async () => {
    const before = process.memoryUsage().rss;
    await (await startEmulator({ records: RECORDS })).close();
    expect(process.memoryUsage().rss - before).toBeLessThan(200e6);
  });

  it('answer counts, first pages and pages deep inside at once', async () => {
    const service = await serviceWith({ records: RECORDS });
    const cursor = Buffer.from(`${Date.UTC(2021, 5, 1)},10.5072/x`).toString('base64url');
    for (const query of [
      COUNT,
      `${COUNT}&provider-id=caltech&created=2017,2019`,
      `${COUNT}&query=updated:[2026-01-01 TO *] AND created:[* TO 2025-01-01}`,
      'page[size]=25',
      'page[size]=25&sort=-created&disable-facets=true',
      `page[size]=1000&page[cursor]=${cursor}&disable-facets=true`,
      `page[size]=1000&page[cursor]=${cursor}&client-id=caltech.hte&disable-facets=true`,
      `page[size]=100&page[cursor]=${cursor}&query=updated:[2026-06-30 TO *]&disable-facets=true`,
    ]) {
      expect((await service.list(query, DEMO)).meta.total, query).toBeGreaterThan(1000);
    }
    expect((await service.list(COUNT, DEMO)).meta.total).toBe(RECORDS);
  });

  it('count the same by parts as in one', async () => {
    const service = await serviceWith({ records: RECORDS });
    const total = async (query: string) => (await service.list(`${COUNT}&${query}`)).meta.total;
    const edges = ['*', '2013-03-04T05:06:07Z', '2018-01-01', '2024-02-29T12:00:00Z', '*'];
    for (const field of ['created', 'updated', 'registered']) {
      let sum = 0;
      for (let n = 1; n < edges.length; n++)
        sum += await total(`query=${field}:[${edges[n - 1]} TO ${edges[n]}}`);
      // The last window ends with `*}`, which excludes nothing.
      expect(sum, field).toBe(await total(''));
    }
  });

  it('continue exactly after a deep cursor', async () => {
    const service = await serviceWith({ records: RECORDS });
    const cursor = Buffer.from(`${Date.UTC(2020, 0, 1)},10.5072/x`).toString('base64url');
    const list = (size: number, at: string) =>
      service.list(`page[size]=${size}&page[cursor]=${at}&fields[dois]=doi&disable-facets=true`);
    const whole = await list(90, cursor);
    const first = await list(37, cursor);
    const next = new URL(first.links.next ?? '').searchParams.get('page[cursor]') ?? '';
    expect([...ids(first), ...ids(await list(53, next))]).toEqual(ids(whole));
  });
});
