import { describe, expect, it } from 'vitest';
import { filterCheck } from '../../../src/harvest/walk/filter-check.ts';
import { pageOf } from '../../helpers/pages.ts';

interface Members {
  readonly id?: string;
  readonly state?: unknown;
  readonly client?: unknown;
  readonly provider?: unknown;
  readonly attributes?: object;
  readonly relationships?: object;
}

/** A list of one record, of the repository DEMO.REPO of the provider DEMO. */
function documentOf({
  id = '10.5072/a',
  state = 'findable',
  client = 'demo.repo',
  provider = 'demo',
  attributes,
  relationships,
}: Members) {
  const owners = {
    client: { data: { id: client, type: 'clients' } },
    provider: { data: { id: provider, type: 'providers' } },
  };
  const members = { state, ...attributes };
  const links = { ...owners, ...relationships };
  return { data: [{ id, type: 'dois', attributes: members, relationships: links }], links: {} };
}

const CLIENT = 'client-id=demo.repo';
const PROVIDER = 'provider-id=demo';
const BOTH = `${CLIENT}&${PROVIDER}`;
const DECOY = { client: { data: { id: 'demo.repo' } } };
/** The parameters of a list, written as in an address. */
const check = (params: string) => filterCheck([...new URLSearchParams(params)]);

describe('a record that a filter excludes', () => {
  it.each<[string, string, Members, RegExp]>([
    ['a Draft', 'state=findable', { state: 'draft' }, /10\.5072\/a has the state draft/],
    ['no state', 'state=findable', { state: null }, /the state null/],
    ['an object as state', 'state=findable', { state: { a: 1 } }, /the state \{\\*"a\\*":1\}/],
    ['any state', 'user-id=x&state=findable', { state: 'registered' }, /the state registered/],
    ['another repository', CLIENT, { client: 'other.repo' }, /the client other\.repo/],
    ['a longer id', CLIENT, { client: 'demo.repo2' }, /the client demo\.repo2/],
    ['no repository', CLIENT, { client: null }, /the client null/],
    ['another provider', PROVIDER, { provider: 'other' }, /the provider other/],
    ['neither owner', BOTH, { client: 'a.b', provider: 'c' }, /client a\.b and the provider c/],
    ['none of several', 'client-id=x.y, demo.repo', { client: 'y.x' }, /the client y\.x/],
    ['another prefix', 'prefix=10.5072', { id: '10.50720/x' }, /the prefix 10\.50720/],
    ['a decoy', CLIENT, { client: 'a.b', attributes: { container: DECOY } }, /the client a\.b/],
    ['an enriched record', 'state=findable&enriched=true', { state: 'draft' }, /state draft/],
  ])('is refused: %s', (_, params, members, message) => {
    expect(() => check(params)(pageOf(documentOf(members)))).toThrow(message);
  });
});

describe('a record is taken', () => {
  const OTHERS = { state: 'draft', client: { data: { id: 'a.b' } } };
  const DECOYS = { attributes: { x: OTHERS }, relationships: { y: OTHERS } };
  it.each<[string, string, Members]>([
    ['that matches', `state=findable&${BOTH}`, {}],
    ['whose ids are in capitals', CLIENT, { client: 'DEMO.REPO' }],
    ['where the filter is in capitals', 'client-id=DEMO.REPO', {}],
    ['that matches one of several', 'state=draft,findable&client-id=x.y,demo.repo', {}],
    ['whose other owner matches', `client-id=x.y&${PROVIDER}`, {}],
    [
      'whose provider is not named',
      `client-id=x.y&${PROVIDER}`,
      { relationships: { provider: undefined } },
    ],
    ['where a funder widens the list', `funder-id=1&${CLIENT}`, { client: 'other.repo' }],
    ['where affiliations do', `has-affiliation=true&${PROVIDER}`, { provider: 'other' }],
    ['where DOIs are named', `ids=10.5072/a&${CLIENT}`, { client: 'other.repo' }],
    ['with other members of that name', `state=findable&${CLIENT}`, DECOYS],
    // The service may read either value.
    ['where a filter is repeated', 'prefix=10.5073&prefix=10.5072', {}],
    ['where it is repeated in another spelling', 'client-id=a.b&client_id=c.d', {}],
  ])('%s', (_, params, members) => {
    const page = pageOf(documentOf(members));
    expect(check(params)(page)).toBe(page);
  });

  it('that does not tell', () => {
    for (const record of [{ id: '10.5072/a', attributes: {}, relationships: {} }, { id: 'a' }]) {
      const page = pageOf({ data: [record], links: {} });
      expect(check(`state=findable&${CLIENT}`)(page)).toBe(page);
    }
  });

  it('whatever the white space', () => {
    const page = pageOf(documentOf({}), 2);
    expect(check(`state=findable&${CLIENT}`)(page)).toBe(page);
  });
});
