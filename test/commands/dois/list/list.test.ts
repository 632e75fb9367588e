import { describe, expect, it } from 'vitest';
import { planList } from '../../../../src/commands/dois/list/list.ts';
import { CliError } from '../../../../src/errors.ts';

type ListOptions = Parameters<typeof planList>[0];

const asked = (options: ListOptions) => Object.fromEntries(planList(options).query);

function refusal(options: ListOptions): string {
  try {
    planList(options);
  } catch (error) {
    if (error instanceof CliError && error.kind === 'usage')
      return `${error.message} | ${error.hint}`;
    throw error;
  }
  throw new Error('not refused');
}

describe('planList', () => {
  it('names the command for more records than page numbers reach, and its order (service.md, P3, P5)', () => {
    expect(refusal({ limit: 12_000 })).toMatch(
      /first 10,000 records .* \| use --all, .* the oldest first$/,
    );
  });
  it('passes every filter by its name', () => {
    const params = asked({
      providerId: 'caltech',
      clientId: 'caltech.library',
      prefix: '10.5072',
      state: 'findable',
      query: 'titles.title:water',
      created: '2019',
      registered: '2020',
      resourceTypeId: 'dataset',
      filter: [['user-id', 'a=b']],
      fields: ['doi', 'titles'],
      detail: true,
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
      'user-id': 'a=b',
      'fields[dois]': 'doi,titles',
      detail: 'true',
    });
  });
  it.each([
    [{}, 'true', 'true'],
    [{ affiliation: true, format: 'csv' as const }, 'true', 'true'],
    [{ filter: [['affiliation', 'false']] as const }, 'false', 'true'],
    [{ affiliation: true, all: true, filter: [['publisher', 'false']] as const }, 'true', 'false'],
  ])(
    'asks for organizations as objects unless a filter says names: %j',
    (options, affiliation, publisher) => {
      expect(asked(options)).toMatchObject({ affiliation, publisher });
    },
  );
  it('leaves facets alone where somebody asks for them', () => {
    expect(asked({ filter: [['disable-facets', 'false']] })['disable-facets']).toBe('false');
    expect(asked({ filter: [['facets', 'states']] })).not.toHaveProperty('disable-facets');
  });
  it.each([
    [{}, 25, 1, 1],
    [{ all: true }, 1000, 1, 1],
    [{ all: true, limit: 10 }, 10, 1, 1],
    [{ limit: 10 }, 10, 1, 1],
    [{ limit: 2500 }, 1000, 1, 3],
    [{ limit: 10_000 }, 1000, 1, 10],
    [{ limit: 60, page: 3 }, 25, 3, 5],
    [{ limit: 7, pageSize: 3 }, 3, 1, 3],
    [{ pageSize: 0 }, 0, 1, 1],
    [{ page: 400 }, 25, 400, 400],
    [{ page: 10, pageSize: 1000 }, 1000, 10, 10],
  ])('%j takes the pages it needs', (options, pageSize, first, last) => {
    expect(planList(options)).toMatchObject({ pageSize, first, last });
  });
  it.each([
    [{ page: 401 }, /400 at 25.*--all/],
    [{ page: 11, pageSize: 1000 }, /10,000.*--all/],
    [{ page: 11, pageSize: 999 }, /10,000.*--all/],
    [{ limit: 10_001 }, /10,000.*--all/],
    [{ limit: 50, page: 400 }, /10,000.*--all/],
    [{ all: true, pageSize: 0 }, /at least 1/],
    [{ all: true, filter: [['random', 'TRUE'] as const] }, /random excludes --all/],
    [{ all: true, filter: [['sample-group', 'client'] as const] }, /sample-group excludes --all/],
    [{ state: 'draft', filter: [['state', 'x'] as const] }, /twice/],
    [{ filter: [['subject', 'a'] as const, ['subject', 'b'] as const] }, /subject is given twice/],
  ])('refuses %j', (options, message) => {
    expect(refusal(options)).toMatch(message);
  });
});
