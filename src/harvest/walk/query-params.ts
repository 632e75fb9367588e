import { CURSOR, PAGE_SIZE } from '../../api/pagination.ts';
import { createdClause, type Span } from './creation-time.ts';

/** Query parameters in the order in which they are sent. */
export type Params = readonly (readonly [name: string, value: string])[];

/** The parameters of a query without paging, limited to a span of creation times and by clauses. */
export function withinSpan(
  params: Params,
  span: Span,
  ...clauses: readonly (string | undefined)[]
): Params {
  const userQuery = params.find(([name]) => name === 'query')?.[1];
  const query = combinedQuery(userQuery, ...clauses, createdClause(span));
  const others = params.filter(([name]) => name !== 'query');
  return query === undefined ? others : [...others, ['query', query]];
}

/**
 * The parameters with the facet of years (service.md, P19), unless they ask for other facets.
 * Without `disable-facets=false` the service sends none (service.md, P20).
 */
export function withYears(params: Params): Params {
  return params.flatMap<Params[number]>(([name, value]) =>
    name === 'disable-facets' && value === 'true'
      ? [
          [name, 'false'],
          ['facets', 'created'],
        ]
      : [[name, value]],
  );
}

/** The parameters of one page of a cursor walk. */
export function pageParams(params: Params, cursor: string, pageSize: number): Params {
  return [...params, [PAGE_SIZE, String(pageSize)], [CURSOR, cursor]];
}

/** Whether records have creation times: all do without a sparse fieldset (service.md, P17). */
export function asksForCreated(params: Params): boolean {
  return params
    .filter(([name]) => name === 'fields[dois]')
    .every(([, fields]) => fields.split(',').some((field) => field.trim() === 'created'));
}

/** The parameters that ask only for the identifiers of records. */
export function idParams(params: Params): Params {
  return [...params.filter(([name]) => name !== 'fields[dois]'), ['fields[dois]', 'id']];
}

/** The parameters that ask only for the count of records. */
export function countParams(params: Params): Params {
  return [...params.filter(([name]) => name !== 'fields[dois]'), [PAGE_SIZE, '0']];
}

/**
 * Joins the user's query and further clauses by AND.
 * @throws {Error} when its parentheses, quotes or ranges are not balanced: the clauses would become
 *   a part of it.
 */
export function combinedQuery(
  userQuery: string | undefined,
  ...clauses: readonly (string | undefined)[]
): string | undefined {
  const query = userQuery === undefined || /^\s*$/.test(userQuery) ? '' : userQuery;
  const problem = imbalance(query);
  if (problem !== undefined) throw new Error(`the query is not balanced: ${problem}`);
  const others = clauses.filter((clause) => clause !== undefined);
  if (others.length === 0) return query === '' ? undefined : query;
  return (query === '' ? others : [`(${query})`, ...others]).join(' AND ');
}

// Escapes, phrases, ranges (which may hold brackets), and single brackets and quotes that belong to
// none of these. A range may mix its brackets, and a backslash inside a range escapes nothing. Text
// between slashes is read like any other text.
const TOKEN = /\\.|"(?:[^"\\]|\\.)*"|[[{](?:[^\]}"]|"(?:[^"\\]|\\.)*")*[\]}]|[()[\]{}"\\]/gs;

function imbalance(query: string): string | undefined {
  const open: number[] = [];
  for (const { 0: token, index } of query.matchAll(TOKEN)) {
    const fault = token === '\\' ? 'escapes nothing' : 'has no counterpart';
    if (token === '(') open.push(index);
    else if (token === ')' ? open.pop() === undefined : token.length === 1) {
      return `${token} at character ${index + 1} ${fault}`;
    }
  }
  const last = open.at(-1);
  return last === undefined ? undefined : `( at character ${last + 1} has no counterpart`;
}

// With these the service ignores other parameters, or chooses other records for each request.
const UNCUTTABLE = /^(id|ids|random|sample|sample-group)$/;

/** Whether clauses on the creation time select among the records of a query. */
export function isCuttable(params: Params): boolean {
  if (params.some(([name]) => UNCUTTABLE.test(name.replaceAll('_', '-')))) return false;
  try {
    withinSpan(params, { from: 0, to: 1 });
    return true;
  } catch {
    // Clauses after an unbalanced query would become a part of it.
    return false;
  }
}
