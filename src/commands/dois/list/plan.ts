import { CURSOR, lastReachablePage, PAGE_SIZE } from '../../../api/pagination.ts';
import { MAX_PAGE_SIZE } from '../../../core/defaults.ts';
import { requireCursor } from '../../../core/filter-params.ts';
import { usageError } from '../../../errors.ts';
import type { Params } from '../../../harvest/walk/query-params.ts';
import { type FilterOptions, filterParams } from '../query/filters.ts';

export type RecordFormat = 'table' | 'json' | 'ndjson' | 'csv' | 'tsv';

/** The options of `dois list`. */
export interface ListOptions extends FilterOptions {
  readonly all?: boolean;
  readonly count?: boolean;
  readonly pageSize?: number;
  readonly page?: number;
  readonly sort?: string;
  readonly limit?: number;
  readonly jobs?: number;
  readonly rate?: { readonly requests: number; readonly windowMs: number };
  readonly format?: RecordFormat;
  readonly out?: string;
}

/** How to request a list. */
export type ListPlan =
  | { readonly mode: 'count'; readonly params: Params }
  | { readonly mode: 'cursor'; readonly params: Params; readonly pageSize: number }
  | {
      readonly mode: 'numbered';
      readonly params: (page: number) => Params;
      readonly first: number;
      readonly last: number;
      readonly pageSize: number;
    };

// The service's default (service.md, P1).
const DEFAULT_PAGE_SIZE = 25;

/**
 * Chooses between the service's two paginations, and checks the options against each other.
 * @throws {CliError} kind `usage`, before anything is sent.
 */
export function planList(options: ListOptions): ListPlan {
  const query = filterParams(options);
  for (const name of ['jobs', 'rate'] as const) {
    if (options.all || options[name] === undefined) continue;
    throw usageError(`--${name} has a meaning only with --all`, 'leave it out, or add --all');
  }
  if (!options.count) return options.all ? planAll(options, query) : planPages(options, query);
  const { pageSize, page, sort, limit, format } = options;
  for (const [name, value] of Object.entries({ 'page-size': pageSize, page, sort, limit, format })) {
    if (value === undefined) continue;
    throw usageError(`--${name} has no meaning with --count`, 'leave one of them out');
  }
  return { mode: 'count', params: [...query, [PAGE_SIZE, '0']] };
}

function planAll({ pageSize, page, sort, limit, format }: ListOptions, query: Params): ListPlan {
  requireCursor(query, '--all');
  if (sort !== undefined) {
    throw usageError(
      '--sort has no effect with --all: the order is always by creation time',
      'leave --sort out',
    );
  }
  if (page !== undefined) throw usageError('--page has no meaning with --all', 'leave one of them out');
  if (format === 'table') {
    throw usageError('--all is not for tables', 'use --format ndjson or csv');
  }
  const size = pageSize ?? Math.min(limit ?? MAX_PAGE_SIZE, MAX_PAGE_SIZE);
  if (size === 0) throw usageError('--all needs a page size of at least 1', 'leave --page-size out');
  return { mode: 'cursor', params: [...query, [PAGE_SIZE, String(size)], [CURSOR, '1']], pageSize: size };
}

function planPages(options: ListOptions, query: Params): ListPlan {
  const { limit, page, sort } = options;
  // With --page, the number counts pages of the default size; with --limit alone, larger pages save requests.
  const usual = limit === undefined || page !== undefined ? DEFAULT_PAGE_SIZE : limit;
  const pageSize = options.pageSize ?? Math.min(usual, MAX_PAGE_SIZE);
  const first = page ?? 1;
  const last = limit === undefined || pageSize === 0 ? first : first + Math.ceil(limit / pageSize) - 1;
  if (last > lastReachablePage(pageSize)) {
    // The cursor has an order of its own (service.md, P5): these would be other records.
    const byLimit = limit !== undefined && page === undefined && sort === undefined;
    throw usageError(
      'page numbers reach the first 10,000 records only' +
        ` (page ${lastReachablePage(pageSize)} at ${pageSize} records a page)`,
      byLimit
        ? `--all --limit ${limit} lists as many, the oldest first; --all alone reaches every record`
        : 'use --all, which reaches every record, the oldest first',
    );
  }
  const sorted: Params = sort === undefined ? query : [...query, ['sort', sort]];
  return {
    mode: 'numbered',
    params: (number) => [...sorted, [PAGE_SIZE, String(pageSize)], ['page[number]', String(number)]],
    first,
    last,
    pageSize,
  };
}
