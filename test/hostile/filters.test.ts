import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { run } from '../helpers/run.ts';
import { temporaryDirectory } from '../helpers/temporary.ts';
import { ALL, always, first, fromPage, printed, put, records, WAYS } from './lies.ts';
import { hostileService, type Reply } from './service.ts';

describe('records that a filter excludes', () => {
  const state = (value: unknown) => records((record) => put(record.attributes, { state: value }));
  const owner = (name: string, id: unknown) =>
    records((record) => put(record.relationships, { [name]: { data: { id, type: `${name}s` } } }));
  const owners = (client: string, provider: string) => (reply: Reply) => {
    owner('client', client)(reply);
    owner('provider', provider)(reply);
  };
  const FINDABLE = ['--state', 'findable'];
  const CLIENT = ['--client-id', 'demo.repo'];
  const PROVIDER = ['--provider-id', 'demo'];

  const EXCLUDED: [string, string[], (reply: Reply) => void, RegExp][] = [
    ['an object as state', FINDABLE, state({ toString: 1 }), /the state \{\\*"toString\\*":1\}/],
    ['a Draft', FINDABLE, state('draft'), /the state draft/],
    ['no state', FINDABLE, state(null), /the state null/],
    [
      'a Registered record',
      ['--filter', 'user-id=x', ...FINDABLE],
      state('registered'),
      /the state registered/,
    ],
    [
      'one Draft',
      FINDABLE,
      first((record) => put(record.attributes, { state: 'draft' })),
      /the state draft/,
    ],
    ['another repository', CLIENT, owner('client', 'other.repo'), /the client other\.repo/],
    ['a longer id', CLIENT, owner('client', 'demo.repo2'), /the client demo\.repo2/],
    ['no repository', CLIENT, owner('client', null), /the client null/],
    ['another provider', PROVIDER, owner('provider', 'other'), /the provider other/],
    [
      'neither owner',
      [...CLIENT, ...PROVIDER],
      owners('a.b', 'c'),
      /the client a\.b and the provider c/,
    ],
    [
      'none of several',
      ['--client-id', 'x.y, demo.repo'],
      owner('client', 'y.x'),
      /the client y\.x/,
    ],
    [
      'another prefix',
      ['--prefix', '10.5072'],
      first((record) => put(record, { id: '10.50720/x' })),
      /the prefix 10\.50720/,
    ],
    [
      'a decoy',
      CLIENT,
      (reply) => {
        owner('client', 'other.repo')(reply);
        records((record) =>
          put(record.attributes, { container: { client: { data: { id: 'demo.repo' } } } }),
        )(reply);
      },
      /the client other\.repo/,
    ],
  ];

  it.each(EXCLUDED)(
    'are an error before they are printed: %s',
    async (_, filters, change, message) => {
      for (const [page, kept] of [
        [1, 0],
        [2, 50],
        [4, 150],
      ] as const) {
        for (const [, args] of WAYS) {
          const { env } = await hostileService(fromPage(page, change));
          const { code, stdout, stderr } = await run([...ALL, ...filters, ...args], { env });
          expect([code, printed(stdout, args)]).toEqual([3, kept]);
          expect(stderr).toMatch(message);
        }
      }
      const { env } = await hostileService(always(change));
      const one = await run(['dois', 'list', ...filters], { env });
      expect(one).toMatchObject({ code: 3, stdout: '', stderr: expect.stringMatching(message) });
      const dir = join(temporaryDirectory(), 'copy');
      const copy = await run(['dois', 'harvest', '--dir', dir, ...filters], { env });
      expect(copy).toMatchObject({ code: 3, stderr: expect.stringMatching(message) });
    },
  );

  it.each<[string, string[], (reply: Reply) => void]>([
    [
      'the record does not say',
      [...FINDABLE, ...CLIENT],
      records((record) => {
        Object.assign(record, {
          attributes: { created: record.attributes['created'] },
          relationships: {},
        });
      }),
    ],
    [
      'there is nothing but an id',
      [...FINDABLE, ...CLIENT],
      (reply) => {
        for (const record of reply.body.data)
          for (const name of ['attributes', 'relationships']) Reflect.deleteProperty(record, name);
      },
    ],
    ['ids come in capitals', CLIENT, owner('client', 'DEMO.REPO')],
    ['the option is in capitals', ['--client-id', 'DEMO.REPO'], () => undefined],
    [
      'one of several matches',
      ['--state', 'draft,findable', '--client-id', 'x.y,demo.repo'],
      () => undefined,
    ],
    ['the other owner matches', ['--client-id', 'x.y', ...PROVIDER], () => undefined],
    [
      'the provider is not named',
      ['--client-id', 'x.y', ...PROVIDER],
      records((record) => void Reflect.deleteProperty(record.relationships, 'provider')),
    ],
    [
      'a funder widens the list',
      ['--filter', 'funder-id=10.13039/1', ...CLIENT],
      owner('client', 'other.repo'),
    ],
    [
      'affiliations widen the list',
      ['--filter', 'has-affiliation=true', ...PROVIDER],
      owner('provider', 'other'),
    ],
    ['DOIs are named', ['--filter', 'ids=10.5072/r0001', ...CLIENT], owner('client', 'other.repo')],
    [
      'other members have that name',
      [...FINDABLE, ...CLIENT],
      (reply) => {
        records((record) => {
          record.attributes['x'] = {
            state: 'draft',
            relationships: { client: { data: { id: 'other.repo' } } },
          };
        })(reply);
        records((record) =>
          put(record.relationships, { y: { state: 'draft', client: { data: { id: 'a.b' } } } }),
        )(reply);
      },
    ],
    ['there is white space', [...FINDABLE, ...CLIENT], () => undefined],
  ])('are not seen where %s', async (what, filters, change) => {
    const lie = always(change);
    const { env } = await hostileService((reply, asked) => {
      lie(reply, asked);
      if (!what.includes('white space')) return undefined;
      return (response) => {
        response
          .writeHead(200, reply.headers as Record<string, string>)
          .end(JSON.stringify(reply.body, null, 2));
      };
    });
    const anonymous = filters.includes('draft,findable') ? ['--state', 'findable'] : [];
    const { code, stdout, stderr } = await run([...ALL, ...filters, ...anonymous], { env });
    expect([code, printed(stdout, [])], stderr).toEqual([0, 250]);
  });
});
