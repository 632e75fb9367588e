import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { runs } from '../../helpers/runs.ts';
import { DEMO, ids, type Service, serviceWith } from '../service.ts';

async function walk(service: Service, query: string, size: number, authorization?: string) {
  const seen: string[] = [];
  const totals = new Set<number>();
  // links.next loses `state` (service.md, P9), so the walk takes only the cursor from it.
  let cursor: string | null = '1';
  while (cursor !== null) {
    const page = `page[size]=${size}&page[cursor]=${cursor}&fields[dois]=doi&disable-facets=true&${query}`;
    const document = await service.list(page, authorization);
    seen.push(...ids(document));
    totals.add(document.meta.total);
    cursor =
      document.links.next === undefined
        ? null
        : new URL(document.links.next).searchParams.get('page[cursor]');
  }
  return { ids: seen, totals: [...totals] };
}

async function post(service: Service, attributes: object): Promise<void> {
  const reply = await service.send('POST', '/dois', { data: { type: 'dois', attributes } }, DEMO);
  if (reply.status !== 201) throw new Error(reply.text);
}

describe('cursor pagination', () => {
  it('visits every match once, in order, whatever the filter and page size', async () => {
    const service = await serviceWith({ records: 1300 });
    for (let n = 0; n < 7; n++) await post(service, { doi: `10.5072/posted-${(n * 5) % 7}` });
    const query = fc.constantFrom(
      '',
      'client-id=demo.repo',
      'provider-id=caltech',
      'state=draft,registered',
      'created=2014,2016',
      'resource-type-id=text',
      'query=updated:[2020-01-01 TO *] AND created:[* TO 2019-01-01}',
      'prefix=10.5072',
    );
    await fc.assert(
      fc.asyncProperty(
        query,
        fc.integer({ min: 20, max: 1000 }),
        fc.boolean(),
        async (filter, size, signedIn) => {
          const authorization = signedIn ? DEMO : undefined;
          const numbered: string[] = [];
          for (let number = 1; numbered.length === (number - 1) * 1000; number++) {
            const page = `sort=created&page[size]=1000&page[number]=${number}&fields[dois]=doi&disable-facets=true`;
            numbered.push(...ids(await service.list(`${page}&${filter}`, authorization)));
          }
          const walked = await walk(service, filter, size, authorization);
          expect(walked.ids).toEqual(numbered);
          expect(new Set(walked.ids).size).toBe(walked.ids.length);
          expect(walked.totals).toEqual([walked.ids.length]);
        },
      ),
      { numRuns: runs(25) },
    );
  });
});
