import { CURSOR } from '../../api/pagination.ts';
import { combinedQuery, createdClause, type Span } from './created-query.ts';

/** Query parameters in the order in which they are sent. */
export type Params = readonly (readonly [name: string, value: string])[];

/** The parameters of a query narrowed to a span of creation times and by further clauses, without paging. */
export function withinSpan(params: Params, span: Span, ...clauses: readonly (string | undefined)[]): Params {
  const own = params.find(([name]) => name === 'query')?.[1];
  const query = combinedQuery(own, ...clauses, createdClause(span));
  const others = params.filter(([name]) => name !== 'query');
  return query === undefined ? others : [...others, ['query', query]];
}

/** The parameters of one page of a cursor walk. */
export function pageParams(params: Params, cursor: string, pageSize: number): Params {
  return [...params, ['page[size]', String(pageSize)], [CURSOR, cursor]];
}

/** The parameters that ask for a count alone. */
export function countParams(params: Params): Params {
  return [...withoutFields(params), ['page[size]', '0']];
}

/** The parameters that ask for nothing of the records but which they are. */
export function idParams(params: Params): Params {
  return [...withoutFields(params), ['fields[dois]', 'id']];
}

function withoutFields(params: Params): Params {
  return params.filter(([name]) => name !== 'fields[dois]');
}
