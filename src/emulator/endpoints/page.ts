import type { Params } from '../http/params.ts';

/** Numbered pages reach this many records (service.md, P3). */
const REACH = 10_000;
const DEFAULT_SIZE = 25;
const MAX_SIZE = 1000;

/** The requested page. `cursor` wins over `number`; an empty cursor means the beginning. */
export interface Page {
  readonly size: number;
  readonly number: number;
  readonly cursor: string | undefined;
}

/**
 * Clamps sizes above 1000 and numbers beyond the reach, as the service does (service.md, P1, P4).
 * Text that is not a number counts as 0.
 */
export function readPage(params: Params): Page {
  const size = sizeOf(params.get('page[size]'));
  const last = size === 0 ? 1 : Math.floor(REACH / size);
  const asked = integer(params.get('page[number]') ?? '');
  const cursor = params.get('page[cursor]');
  return { size, number: Math.min(Math.max(asked, 1), last), cursor };
}

/**
 * Rounded up, and for numbered pages limited to the reach (service.md, P4, P12), so that the last
 * of these pages is never served when the size does not divide the reach.
 */
export function totalPages(page: Page, total: number): number {
  if (page.size === 0) return 0;
  return Math.ceil((page.cursor === undefined ? Math.min(total, REACH) : total) / page.size);
}

/** The items of a numbered page, and the `meta` of its answer. */
export function numberedPage<T>(page: Page, all: readonly T[]) {
  const first = (page.number - 1) * page.size;
  const meta = { total: all.length, totalPages: totalPages(page, all.length), page: page.number };
  return { items: all.slice(first, first + page.size), meta };
}

function sizeOf(text: string | undefined): number {
  if (text === undefined || text === '') return DEFAULT_SIZE;
  return Math.min(Math.max(integer(text), 0), MAX_SIZE);
}

/** The leading integer of a text, 0 without one. */
function integer(text: string): number {
  return Number(/^\s*[+-]?\d{1,15}/.exec(text)?.[0] ?? 0);
}
