import { NOT_FOUND, Refusal } from '../http/answer.ts';
import { Params } from '../http/params.ts';

/** A walk through a list by `page[scroll]`: the list, and the number of records already sent. */
export interface Scroll {
  /** The parameters of the first request. */
  readonly params: Params;
  readonly query: string;
  readonly offset: number;
}

/**
 * The walk that a request begins or continues; undefined for a request without `page[scroll]`.
 *
 * @throws Refusal with 404 for an unknown scroll id
 */
export function readScroll(query: string): Scroll | undefined {
  const params = new Params(query);
  if ((params.get('page[scroll]') ?? '') === '') return undefined;
  const id = params.get('scroll-id');
  if (id === undefined) return { params, query, offset: 0 };
  const [, offset, first] = /^(\d+) (.*)$/s.exec(Buffer.from(id, 'base64url').toString()) ?? [];
  if (offset === undefined || first === undefined) throw new Refusal(NOT_FOUND);
  return { params: new Params(first), query: first, offset: Number(offset) };
}

/** The id that continues the walk after the records that were sent. */
export function scrollId({ query, offset }: Scroll, sent: number): string {
  return Buffer.from(`${offset + sent} ${query}`).toString('base64url');
}
