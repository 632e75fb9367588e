import { describe, expect, it } from 'vitest';
import { type ListOptions, planList } from '../../../../src/commands/dois/list/plan.ts';
import { CliError } from '../../../../src/errors.ts';

/** The plan with its parameters as an object; for numbered pages those of the first one. */
function plan(options: ListOptions) {
  const made = planList(options);
  const params = made.mode === 'numbered' ? made.params(made.first) : made.params;
  return { ...made, params: Object.fromEntries(params) };
}

function refusal(options: ListOptions): string {
  try {
    planList(options);
  } catch (error) {
    if (error instanceof CliError && error.kind === 'usage') return `${error.message} | ${error.hint}`;
    throw error;
  }
  throw new Error('not refused');
}

describe('planList', () => {
  it('asks for one numbered page by default', () => {
    expect(plan({})).toMatchObject({
      mode: 'numbered',
      first: 1,
      last: 1,
      params: { 'page[size]': '25', 'page[number]': '1', 'disable-facets': 'true' },
    });
  });
  it('asks for cursors and large pages with --all', () => {
    expect(plan({ all: true })).toMatchObject({
      mode: 'cursor',
      params: { 'page[size]': '1000', 'page[cursor]': '1' },
    });
    expect(plan({ all: true, limit: 10 }).params['page[size]']).toBe('10');
    expect(plan({ all: true, limit: 5000 }).params['page[size]']).toBe('1000');
  });
  it('names the command for more records than page numbers reach, and its order (service.md, P3, P5)', () => {
    expect(refusal({ limit: 12_000 })).toMatch(
      /first 10,000 records .* \| --all --limit 12000 lists as many, the oldest first; --all alone/,
    );
    expect(refusal({ limit: 12_000, sort: '-updated' })).toMatch(/\| use --all, .* the oldest first$/);
    expect(plan({ limit: 10_000 })).toMatchObject({ mode: 'numbered', last: 10 });
  });
  it('passes every filter by its name', () => {
    const { params } = plan({
      providerId: 'caltech',
      clientId: 'caltech.library',
      prefix: '10.5072',
      state: 'findable',
      query: 'titles.title:water',
      created: '2019',
      registered: '2020',
      resourceTypeId: 'dataset',
      filter: [['subject', 'a=b']],
      fields: ['doi', 'titles'],
      detail: true,
      affiliation: true,
    });
    expect(params).toMatchObject({
      'provider-id': 'caltech',
      'client-id': 'caltech.library',
      prefix: '10.5072',
      state: 'findable',
      query: 'titles.title:water',
      created: '2019',
      registered: '2020',
      'resource-type-id': 'dataset',
      subject: 'a=b',
      'fields[dois]': 'doi,titles',
      detail: 'true',
      affiliation: 'true',
    });
  });
  it('leaves facets alone where somebody asks for them', () => {
    expect(plan({ filter: [['disable-facets', 'false']] }).params['disable-facets']).toBe('false');
    expect(plan({ filter: [['facets', 'states']] }).params).not.toHaveProperty('disable-facets');
  });
  it('counts with a page of no records', () => {
    expect(plan({ count: true, state: 'draft' })).toMatchObject({
      mode: 'count',
      params: { 'page[size]': '0', state: 'draft' },
    });
  });
  it.each([
    [{ limit: 10 }, 10, 1, 1],
    [{ limit: 2500 }, 1000, 1, 3],
    [{ limit: 10_000 }, 1000, 1, 10],
    [{ limit: 60, page: 3 }, 25, 3, 5],
    [{ limit: 7, pageSize: 3 }, 3, 1, 3],
    [{ pageSize: 0 }, 0, 1, 1],
    [{ page: 400 }, 25, 400, 400],
    [{ page: 10, pageSize: 1000 }, 1000, 10, 10],
  ])('%j takes the pages it needs', (options, pageSize, first, last) => {
    expect(plan(options)).toMatchObject({ pageSize, first, last });
  });
  it.each([
    [{ page: 401 }, /400 at 25.*--all/],
    [{ page: 11, pageSize: 1000 }, /10,000.*--all/],
    [{ page: 11, pageSize: 999 }, /10,000.*--all/],
    [{ limit: 10_001 }, /10,000.*--all/],
    [{ limit: 50, page: 400 }, /10,000.*--all/],
    [{ all: true, sort: 'name' }, /--sort/],
    [{ all: true, page: 2 }, /--page/],
    [{ all: true, pageSize: 0 }, /at least 1/],
    [{ all: true, format: 'table' as const }, /ndjson/],
    [{ count: true, limit: 1 }, /--limit/],
    [{ mine: true, clientId: 'x' }, /--mine and --client-id/],
    [{ mine: true, providerId: 'x' }, /--mine and --provider-id/],
    [{ all: true, filter: [['random', 'TRUE'] as const] }, /random excludes --all/],
    [{ all: true, filter: [['sample-group', 'client'] as const] }, /sample-group excludes --all/],
    [{ state: 'draft', filter: [['state', 'x'] as const] }, /twice/],
  ])('refuses %j', (options, message) => {
    expect(refusal(options)).toMatch(message);
  });
});
