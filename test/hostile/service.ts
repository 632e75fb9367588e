import { type Answer, type Exchange, serve } from '../helpers/server.ts';

/** A record of the hostile service: DOI `10.5072/r0001` and so on. */
export interface HostileRecord {
  id: string;
  type: string;
  attributes: Record<string, unknown>;
  relationships: Record<string, unknown>;
}

/** The honest answer to one request, which a lie changes in place. */
export interface Reply {
  status: number;
  headers: Record<string, string | string[]>;
  body: { data: HostileRecord[]; meta: Record<string, unknown>; links: Record<string, unknown> };
}

export interface Asked {
  readonly exchange: Exchange;
  readonly params: URLSearchParams;
  /** The number of this request among those that ask for records, from 1; 0 for a count. */
  readonly page: number;
}

/** Changes an honest answer, or gives one instead of it. */
export type Lie = (reply: Reply, asked: Asked) => Answer | undefined;

/**
 * Starts a service of `total` Findable records of the account `demo.repo` that answers lists
 * honestly until `lie` changes an answer. It understands cursors, page numbers, `page[size]` and
 * ranges of `created`.
 * @param created when the records were created, in milliseconds, in order; one minute apart from
 *   2020 on.
 */
export async function hostileService(
  lie: Lie,
  {
    total = 250,
    created = Array.from({ length: total }, (_, index) => Date.UTC(2020, 0, 1, 0, index)),
  }: { total?: number; created?: readonly number[] } = {},
): Promise<{ url: URL; asked: Exchange[]; env: Record<string, string> }> {
  const all = created.map(record);
  let pages = 0;
  const { url, asked } = await serve((response, exchange) => {
    const params = new URL(exchange.url, 'http://hostile').searchParams;
    const size = Number(params.get('page[size]') ?? 25);
    const reply = honest(all, exchange, params, size);
    const instead = lie(reply, { exchange, params, page: size === 0 ? 0 : ++pages });
    if (instead !== undefined) return instead(response, exchange);
    response.writeHead(reply.status, {
      'content-type': 'application/vnd.api+json',
      ...reply.headers,
    });
    response.end(JSON.stringify(reply.body));
  });
  const env = { DOI_CLI_BASE_URL: url.origin };
  return { url, asked, env };
}

function honest(
  all: readonly HostileRecord[],
  exchange: Exchange,
  params: URLSearchParams,
  size: number,
): Reply {
  const matching = all.filter(inRange(params.get('query') ?? ''));
  const cursor = params.get('page[cursor]') ?? '1';
  const skipped = (Number(params.get('page[number]') ?? 1) - 1) * size;
  const start = cursor === '1' ? skipped : Number(cursor.slice(1));
  const data = matching.slice(start, start + size);
  const next = new URL(exchange.url, `http://${exchange.headers.host}`);
  next.searchParams.set('page[cursor]', `c${start + size}`);
  const full = size > 0 && data.length === size;
  return {
    status: 200,
    headers:
      exchange.headers.authorization === undefined
        ? { 'x-anonymous-consumer': 'true' }
        : { 'x-credential-username': 'demo.repo' },
    body: {
      data: structuredClone(data),
      meta: {
        total: matching.length,
        totalPages: size === 0 ? 0 : Math.ceil(matching.length / size),
      },
      links: { self: exchange.url, ...(full ? { next: next.href } : {}) },
    },
  };
}

function record(time: number, index: number): HostileRecord {
  const id = `10.5072/r${String(index + 1).padStart(4, '0')}`;
  const created = new Date(time).toISOString().replace('.000Z', 'Z');
  return {
    id,
    type: 'dois',
    attributes: { doi: id, state: 'findable', created, updated: created },
    relationships: {
      client: { data: { id: 'demo.repo', type: 'clients' } },
      provider: { data: { id: 'demo', type: 'providers' } },
    },
  };
}

function inRange(query: string): (record: HostileRecord) => boolean {
  const [, from = '*', to = '*', end = ']'] =
    /created:\[(\S+) TO ([^\s\]}]+)([\]}])/.exec(query) ?? [];
  return ({ attributes }) => {
    const at = Date.parse(attributes['created'] as string);
    const until = end === '}' ? Date.parse(to) : Date.parse(to) + 1;
    const late = to !== '*' && at >= until;
    return !late && (from === '*' || at >= Date.parse(from));
  };
}
