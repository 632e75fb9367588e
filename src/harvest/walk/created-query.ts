/**
 * What asks for the records of a span: `created:[2024-01-01T00:00:00.000Z TO 2024-02-01T00:00:00.000Z}`, with
 * `*` for an open end; undefined for the whole. `[` includes a bound and `}` excludes it (observed).
 */
export function createdClause({ from, to }: Span): string | undefined {
  if (from === null && to === null) return undefined;
  const bound = (time: number | null) => (time === null ? '*' : new Date(time).toISOString());
  return `created:[${bound(from)} TO ${bound(to)}${to === null ? ']' : '}'}`;
}

/**
 * One query that asks for what all of the given ones ask for: `(user query) AND created:[…}`.
 * @throws {Error} when the parentheses, quotes or ranges of the user's query are not balanced: what follows would
 *   become a part of it.
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

// Escapes, phrases and ranges, which may hold brackets, and what is left of these where they are not balanced. A
// range may mix its brackets, and in it a backslash escapes nothing. What stands between slashes is text.
const TOKEN = /\\.|"(?:[^"\\]|\\.)*"|[[{](?:[^\]}"]|"(?:[^"\\]|\\.)*")*[\]}]|[()[\]{}"\\]/gs;

/** What is wrong with the brackets and quotes of a query in Lucene syntax, if anything. */
function imbalance(query: string): string | undefined {
  const open: number[] = [];
  for (const { 0: token, index } of query.matchAll(TOKEN)) {
    if (token === '(') open.push(index);
    else if (token === ')' ? open.pop() === undefined : token.length === 1) return at(token, index);
  }
  const last = open.at(-1);
  return last === undefined ? undefined : at('(', last);

  function at(token: string, index: number): string {
    const wants = token === '\\' ? 'escapes nothing' : 'has no counterpart';
    return `${token} at character ${index + 1} ${wants}`;
  }
}

/** A span of creation times: from included, to excluded, milliseconds since 1970; null is open. */
export interface Span {
  readonly from: number | null;
  readonly to: number | null;
}
