import { CURSOR, PAGE_SIZE } from '../../api/pagination.ts';
import { createdClause, type Span } from './creation-time.ts';

/** Query parameters in the order in which they are sent. */
export type Params = readonly (readonly [name: string, value: string])[];

/**
 * The parameters of a query, without paging, narrowed to a span of creation times and by further
 * clauses.
 */
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
 * The parameters that also ask for the number of records by year (service.md, P19), unless they ask
 * for other facets.
 */
export function withYears(params: Params): Params {
  return params.map(([name, value]) =>
    name === 'disable-facets' && value === 'true' ? ['facets', 'created'] : [name, value],
  );
}

/** The parameters of one page of a cursor walk. */
export function pageParams(params: Params, cursor: string, pageSize: number): Params {
  return [...params, [PAGE_SIZE, String(pageSize)], [CURSOR, cursor]];
}

/**
 * Whether the query asks for creation times: without a sparse fieldset every record has one
 * (service.md, P17).
 */
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
  const own = userQuery === undefined || /^\s*$/.test(userQuery) ? '' : userQuery;
  const problem = imbalance(own);
  if (problem !== undefined) throw new Error(`the query is not balanced: ${problem}`);
  const others = clauses.filter((clause) => clause !== undefined);
  if (others.length === 0) return own === '' ? undefined : own;
  return (own === '' ? others : [`(${own})`, ...others]).join(' AND ');
}

// Escapes, phrases, ranges (which may hold brackets), and single brackets and quotes that belong to
// none of these. A range may mix its brackets, and a backslash inside a range escapes nothing. Text
// between slashes is read like any other text.
const TOKEN = /\\.|"(?:[^"\\]|\\.)*"|[[{](?:[^\]}"]|"(?:[^"\\]|\\.)*")*[\]}]|[()[\]{}"\\]/gs;

/**
 * The first unbalanced bracket or quote of a query in Lucene syntax; undefined if there is none.
 */
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
