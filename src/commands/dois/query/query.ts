import { lastReachablePage, PAGE_SIZE } from '../../../api/pagination.ts';
import { usageError } from '../../../errors.ts';
import { type Params, pageParams } from '../../../harvest/walk/query-params.ts';

/** The options that select records. Each value has been checked by itself. */
export interface FilterOptions {
  readonly providerId?: string;
  readonly clientId?: string;
  readonly prefix?: string;
  readonly state?: string;
  readonly query?: string;
  readonly created?: string;
  readonly registered?: string;
  readonly resourceTypeId?: string;
  readonly filter?: readonly (readonly [string, string])[];
  readonly fields?: readonly string[];
  readonly detail?: boolean;
  readonly affiliation?: boolean;
  readonly mine?: boolean;
}

export type RecordFormat = 'table' | 'json' | 'ndjson' | 'csv';

/** The options of `dois list`. */
export interface ListOptions extends FilterOptions {
  readonly all?: boolean;
  readonly count?: boolean;
  readonly pageSize?: number;
  readonly page?: number;
  readonly sort?: string;
  readonly limit?: number;
  readonly format?: RecordFormat;
  readonly out?: string;
}

/** How to request a list. */
export type ListPlan =
  | { readonly mode: 'count'; readonly params: Params }
  | { readonly mode: 'cursor'; readonly params: Params }
  | NumberedPages;

/** Pages by their numbers, from `first` to `last`. */
export interface NumberedPages {
  readonly mode: 'numbered';
  readonly params: (page: number) => Params;
  readonly first: number;
  readonly last: number;
  readonly pageSize: number;
}

const DEFAULT_PAGE_SIZE = 25;
export const LARGEST_PAGE_SIZE = 1000;

/**
 * Chooses between the service's two paginations, and checks the options against each other.
 * @throws {CliError} kind `usage`, before anything is sent.
 */
export function planList(options: ListOptions): ListPlan {
  const query = filterParams(options);
  if (options.count) return planCount(options, query);
  return options.all ? planAll(options, query) : planPages(options, query);
}

function planCount({ pageSize, page, sort, limit, format }: ListOptions, query: Params): ListPlan {
  const options = { 'page-size': pageSize, page, sort, limit, format };
  for (const [name, value] of Object.entries(options)) {
    if (value !== undefined)
      throw usageError(`--${name} has no meaning with --count`, 'leave one of them out');
  }
  return { mode: 'count', params: [...query, [PAGE_SIZE, '0']] };
}

function planAll({ pageSize, page, sort, limit, format }: ListOptions, query: Params): ListPlan {
  if (sort !== undefined) {
    throw usageError(
      '--sort has no effect with --all: the order is always by creation time',
      'leave --sort out',
    );
  }
  if (page !== undefined) throw usageError('--page has no meaning with --all', 'leave one of them out');
  if (format === 'table') {
    throw usageError('--all is not for tables', 'use --format ndjson, json or csv, or --limit without --all');
  }
  const size = pageSize ?? Math.min(limit ?? LARGEST_PAGE_SIZE, LARGEST_PAGE_SIZE);
  if (size === 0) throw usageError('--all needs a page size of at least 1', 'leave --page-size out');
  return { mode: 'cursor', params: pageParams(query, '1', size) };
}

function planPages(options: ListOptions, query: Params): ListPlan {
  const { limit, page, sort } = options;
  // With --page, the number counts pages of the default size; with --limit alone, larger pages save requests.
  const usual = limit === undefined || page !== undefined ? DEFAULT_PAGE_SIZE : limit;
  const pageSize = options.pageSize ?? Math.min(usual, LARGEST_PAGE_SIZE);
  const first = page ?? 1;
  const last = limit === undefined || pageSize === 0 ? first : first + Math.ceil(limit / pageSize) - 1;
  if (last > lastReachablePage(pageSize)) {
    throw usageError(
      'page numbers reach the first 10,000 records only' +
        ` (page ${lastReachablePage(pageSize)} at ${pageSize} records a page)`,
      'use --all, which reaches every record',
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

/**
 * The query parameters of the filters, in a fixed order.
 * @throws {CliError} kind `usage` when a filter is given twice.
 */
export function filterParams(options: FilterOptions): Params {
  if (options.mine && options.clientId !== undefined) {
    throw usageError('--mine and --client-id exclude each other', 'leave one of them out');
  }
  const params: [string, string | undefined][] = [
    ['provider-id', options.providerId],
    ['client-id', options.clientId],
    ['prefix', options.prefix],
    ['state', options.state],
    ['query', options.query],
    ['created', options.created],
    ['registered', options.registered],
    ['resource-type-id', options.resourceTypeId],
    // `detail` acts on any value, `affiliation` only on `true` (observed), so false is never sent.
    ['detail', options.detail ? 'true' : undefined],
    ['affiliation', options.affiliation ? 'true' : undefined],
    ['fields[dois]', options.fields?.join(',')],
  ];
  const own = params.filter((param): param is [string, string] => param[1] !== undefined);
  const others = options.filter ?? [];
  const twice = others.find(([name]) => own.some(([other]) => other === name));
  if (twice !== undefined) throw usageError(`the filter ${twice[0]} is given twice`, 'leave one of them out');
  const given = [...own, ...others];
  // The service counts facets again for each page, which makes large pages much slower (observed).
  const facets: Params = given.some(([name]) => /facets$/.test(name)) ? [] : [['disable-facets', 'true']];
  return [...given, ...facets];
}

/**
 * Parses a sparse fieldset: attribute names, comma-separated.
 * @throws {Error} when one is not a name.
 */
export function parseFields(text: string): readonly string[] {
  const fields = text.split(',').map((field) => field.trim());
  const wrong = fields.find((field) => !/^[A-Za-z][\w-]*$/.test(field));
  if (wrong !== undefined) throw new Error(`'${wrong}' is not the name of an attribute such as titles`);
  return fields;
}
