import { gzipSync } from 'node:zlib';
import { type Exchange, serve } from '../helpers/server.ts';

/** A record of a {@link listService}: `created` is in milliseconds; without one it sorts last. */
export interface Dated {
  readonly id: string;
  readonly created: number | undefined;
}

interface Document {
  data: object[];
  meta: Record<string, unknown>;
  links: Record<string, unknown>;
}

export interface ListBehaviour {
  /** Milliseconds before an answer. */
  readonly latency?: (request: number) => number;
  /** Something else than an answer: a status, or a body that is cut off. */
  readonly fault?: (request: number) => number | 'cut' | undefined;
  /** Changes the answer, and the records that follow. */
  readonly change?: (document: Document, request: number, params: URLSearchParams) => void;
  /** Whether records show when they were created. */
  readonly isSparse?: boolean;
  readonly ignoresQuery?: boolean;
  readonly encoding?: 'gzip';
}

/**
 * A service that lists records by their creation time with cursors as the service makes them
 * (service.md, P7), and understands `page[size]`, ranges of `created`, and the facet of the years.
 */
export async function listService(records: Dated[], behaviour: ListBehaviour = {}) {
  let requests = 0;
  const service = await serve((response, exchange) => {
    requests += 1;
    const number = requests;
    const params = new URL(exchange.url, 'http://list').searchParams;
    const document = answerTo(records, params, exchange, behaviour);
    behaviour.change?.(document, number, params);
    const fault = behaviour.fault?.(number);
    const text = JSON.stringify(document);
    const send = () => {
      const headers = {
        'content-type': 'application/vnd.api+json',
        'x-anonymous-consumer': 'true',
      };
      if (typeof fault === 'number') response.writeHead(fault).end();
      else if (fault === 'cut') {
        response.writeHead(200, headers).write(text.slice(0, -9));
        setTimeout(() => response.destroy(), 2);
      } else if (behaviour.encoding === undefined) response.writeHead(200, headers).end(text);
      else response.writeHead(200, { ...headers, 'content-encoding': 'gzip' }).end(gzipSync(text));
    };
    setTimeout(send, behaviour.latency?.(number) ?? 1);
  });
  return { ...service, env: { DOI_CLI_BASE_URL: service.url.origin } };
}

/** The lines that a list prints: the records in the order of the service. */
export function linesOf(records: readonly Dated[], isSparse = false): string {
  return inOrder(records)
    .map((record) => `${JSON.stringify(resource(record, isSparse))}\n`)
    .join('');
}

function answerTo(
  records: readonly Dated[],
  params: URLSearchParams,
  exchange: Exchange,
  { isSparse = false, ignoresQuery = false }: ListBehaviour,
): Document {
  const size = Number(params.get('page[size]'));
  const matching = inOrder(records).filter(
    ignoresQuery ? () => true : inRange(params.get('query') ?? ''),
  );
  const start = startOf(matching, params.get('page[cursor]') ?? '1');
  const page = matching.slice(start, start + size);
  const last = page.at(-1);
  const isFull = last !== undefined && page.length === size;
  const next = new URL(exchange.url, `http://${exchange.headers.host}`);
  const position = `${last?.created ?? 9e15},${last?.id}`;
  next.searchParams.set('page[cursor]', Buffer.from(position).toString('base64url'));
  return {
    data: page.map((record) => resource(record, isSparse)),
    meta: {
      total: matching.length,
      ...(params.get('disable-facets') === 'false' ? { created: years(matching) } : {}),
    },
    links: isFull ? { next: next.href } : {},
  };
}

function startOf(matching: readonly Dated[], cursor: string): number {
  if (cursor === '1') return 0;
  const [created, id = ''] = Buffer.from(cursor, 'base64url').toString().split(',');
  const after = matching.findIndex((one) => compare(one, { created: Number(created), id }) > 0);
  return after < 0 ? matching.length : after;
}

function years(matching: readonly Dated[]) {
  const counts = new Map<string, number>();
  for (const { created } of matching) {
    if (created === undefined) continue;
    const year = new Date(created).toISOString().slice(0, 4);
    counts.set(year, (counts.get(year) ?? 0) + 1);
  }
  const latest = [...counts].sort(([a], [b]) => (a < b ? 1 : -1)).slice(0, 10);
  return latest.map(([id, count]) => ({ id, title: id, count }));
}

function resource({ id, created }: Dated, isSparse: boolean): object {
  const time =
    created === undefined ? undefined : new Date(created).toISOString().replace('.000Z', 'Z');
  const dated = isSparse || time === undefined ? {} : { created: time };
  return { id, type: 'dois', attributes: { doi: id, state: 'findable', ...dated } };
}

function inOrder(records: readonly Dated[]): Dated[] {
  return [...records].sort(compare);
}

function compare(a: Dated, b: Dated): number {
  const [first, second] = [a.created ?? 9e15, b.created ?? 9e15];
  return first - second || (a.id < b.id ? -1 : Number(a.id > b.id));
}

function inRange(query: string): (record: Dated) => boolean {
  const [clause, from = '*', to = '*', end] =
    /created:\[(\S+) TO ([^\s\]}]+)([\]}])/.exec(query) ?? [];
  if (clause === undefined) return () => true;
  const low = from === '*' ? Number.NEGATIVE_INFINITY : Date.parse(from);
  const high = to === '*' ? Number.POSITIVE_INFINITY : Date.parse(to) - (end === '}' ? 1 : 0);
  return ({ created }) => created !== undefined && created >= low && created <= high;
}
