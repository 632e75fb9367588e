import { lastReachablePage } from '../../../api/pagination.ts';
import { MAX_PAGE_SIZE } from '../../../core/defaults.ts';
import { requireCursor } from '../../../core/filter-params.ts';
import type { PageRange } from '../../../core/list.ts';
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

/** How to request a list: the filters, and its pages. With `--all` there is one cursor instead of numbers. */
export interface ListPlan extends PageRange {
  readonly query: Params;
}

// The service's default (service.md, P1).
const DEFAULT_PAGE_SIZE = 25;

/**
 * Checks the options against each other, and finds the pages to ask for.
 * @throws {CliError} kind `usage`, before anything is sent.
 */
export function planList(options: ListOptions): ListPlan {
  const { all = false, limit, page, sort, format } = options;
  const query = filterParams(options);
  const alone = (['jobs', 'rate'] as const).find((name) => !all && options[name] !== undefined);
  if (alone !== undefined) {
    throw usageError(`--${alone} has a meaning only with --all`, 'leave it out, or add --all');
  }
  if (all) requireCursor(query, '--all');
  if (all && format === 'table') throw usageError('--all is not for tables', 'use --format ndjson or csv');
  // With --page, the number counts pages of the default size; larger pages save requests.
  const usual = page === undefined ? (limit ?? (all ? MAX_PAGE_SIZE : DEFAULT_PAGE_SIZE)) : DEFAULT_PAGE_SIZE;
  const pageSize = options.pageSize ?? Math.min(usual, MAX_PAGE_SIZE);
  if (all && pageSize === 0) {
    throw usageError('--all needs a page size of at least 1', 'leave --page-size out');
  }
  const first = page ?? 1;
  const last = limit === undefined || pageSize === 0 ? first : first + Math.ceil(limit / pageSize) - 1;
  if (!all && last > lastReachablePage(pageSize)) {
    throw usageError(
      'page numbers reach the first 10,000 records only' +
        ` (page ${lastReachablePage(pageSize)} at ${pageSize} records a page)`,
      // The cursor has an order of its own (service.md, P5): these would be other records.
      'use --all, which reaches every record, the oldest first',
    );
  }
  return { query, first, last, pageSize, sort };
}
