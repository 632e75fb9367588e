import { describe, expect, it } from 'vitest';
import { run } from '../helpers/run.ts';
import { always, cut, empty, everywhere, first, printed, put, total, unusable } from './lies.ts';
import { type HostileRecord, hostileService, type Lie } from './service.ts';

describe('one page of a service that lies', () => {
  const LIMIT = ['--limit', '25'];
  it.each<[string, string[], Lie]>([
    ['3 of 25', [], always((reply) => cut(reply, 3))],
    ['0 of 25', [], always((reply) => put(reply.body, { data: [] }))],
    ['0 of 25 with total 0', [], always((reply) => empty(reply, 0))],
    ['0 of 25 with a text as total', [], always((reply) => empty(reply, 'x'))],
    [
      '3 of 25 without a total',
      LIMIT,
      everywhere((reply) => {
        reply.body.data.length = 3;
        reply.body.meta = {};
      }),
    ],
    [
      '3 of 25 with a text as total',
      [],
      everywhere((reply) => {
        reply.body.data.length = 3;
        reply.body.meta['total'] = '3';
      }),
    ],
    [
      'page 2 is empty with total 0',
      ['--limit', '60', '--page-size', '30'],
      (reply, { params }) => {
        if (params.get('page[number]') === '2') empty(reply, 0);
        return undefined;
      },
    ],
    [
      'page 1 says total 25',
      ['--limit', '60', '--page-size', '30'],
      (reply, { params }) => {
        if (params.get('page[number]') === '1') total(25)(reply);
        return undefined;
      },
    ],
    [
      'repeats in capitals',
      ['--limit', '25'],
      always(
        first((_, all) => {
          (all[1] as HostileRecord).id = (all[0] as HostileRecord).id.toUpperCase();
        }),
      ),
    ],
  ])('ends with exit code 3: %s', async (_, args, lie) => {
    for (const format of ['ndjson', 'csv', 'json', 'table']) {
      const { env } = await hostileService(lie);
      const { code, stderr } = await run(['dois', 'list', '--quiet', ...args, '--format', format], {
        env,
      });
      expect([format, code], stderr).toEqual([format, 3]);
    }
  });

  it.each<[string, string[], number, number, Lie]>([
    ['the last page is short', ['--page', '10', '--page-size', '26'], 16, 250, () => undefined],
    ['a page lies beyond the end', ['--page', '20', '--page-size', '26'], 0, 250, () => undefined],
    ['the size is 0', ['--page-size', '0'], 0, 250, () => undefined],
    ['nothing matches', [], 0, 0, () => undefined],
    ['all fit', [], 7, 7, () => undefined],
    ['the limit is larger than the list', ['--limit', '900'], 250, 250, () => undefined],
    ['a full page has no total', [], 25, 250, everywhere((reply) => put(reply.body, { meta: {} }))],
    ['only the count has a total', [], 7, 7, always((reply) => put(reply.body, { meta: {} }))],
    [
      'one answer is short',
      [],
      25,
      250,
      (reply, { page }) => {
        if (page === 1) empty(reply);
        return undefined;
      },
    ],
  ])('ends with exit code 0 where %s', async (_, args, count, records, lie) => {
    const { env } = await hostileService(lie, { total: records });
    const { code, stdout, stderr } = await run(['dois', 'list', ...args], { env });
    expect([code, printed(stdout, [])], stderr).toEqual([0, count]);
  });
});

describe('a count of a service that lies', () => {
  it.each(unusable)('is an error: %j', async (value) => {
    const { env } = await hostileService(everywhere(total(value)));
    const { code, stdout, stderr } = await run(['dois', 'list', '--count'], { env });
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toMatch(
      /^error: the service gave no usable count of DOIs \(meta\.total\)\nhint: /,
    );
  });
});
