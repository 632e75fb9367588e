// node bench/bursts.mjs --shape <name>: a service that lists records whose creation times have a
// shape (shapes.mjs). It is independent of the emulator. It prints its address as JSON, and after
// SIGTERM which requests it got.
import { createServer } from 'node:http';
import { performance } from 'node:perf_hooks';
import { parseArgs } from 'node:util';
import { Listed } from './listed.mjs';
import { numbers, SHAPES } from './shapes.mjs';

const MOST_RECORDS = 1000;
const FACET_YEARS = 10;
const WARM_UPS = 20;
const RANGE = /created:([[{])(\S+) TO ([^\s\]}]+)([\]}])/g;

const { values } = parseArgs({ options: { shape: { type: 'string', default: 'even' } } });
const shape = SHAPES[values.shape];
if (shape === undefined)
  throw new Error(`there is no shape ${values.shape}: ${Object.keys(SHAPES).join(', ')}`);
const list = new Listed(shape.times(shape.records));
const random = numbers(13);
// The first pages would take ten times as long as the others.
for (let n = 0; n < WARM_UPS; n++)
  list.page({ start: 0, end: MOST_RECORDS, before: '', after: '', gzip: true });

/** @type {{ from: number, to: number }[]} when requests arrived and ended */
const times = [];
const seen = { requests: 0, throttled: 0, failed: 0, open: 0, mostOpen: 0, pages: 0, pageMs: 0 };
const limited = { opened: Number.NEGATIVE_INFINITY, requests: 0 };

const server = createServer((request, response) => {
  const time = { from: performance.now(), to: Number.POSITIVE_INFINITY };
  times.push(time);
  const number = ++seen.requests;
  seen.mostOpen = Math.max(seen.mostOpen, ++seen.open);
  response.once('close', () => {
    time.to = performance.now();
    seen.open--;
  });
  const { status, headers, body } = answerTo(request, number);
  // The limit is a gateway's, which answers at once.
  const seconds = status === 429 ? 0 : shape.latency * (shape.factor?.(seen.open, random) ?? 1);
  const send = () =>
    response.writeHead(status, { ...headers, 'content-length': body.length }).end(body);
  // The answer is a part of the latency.
  setTimeout(send, Math.max(0, time.from + seconds * 1000 - performance.now()));
});

/**
 * Counts requests in fixed windows as the emulator does; the seconds to wait if there is one too
 * many.
 */
function refused() {
  const now = performance.now();
  const ms = shape.limit.seconds * 1000;
  if (now - limited.opened >= ms) Object.assign(limited, { opened: now, requests: 0 });
  if (++limited.requests <= shape.limit.requests) return undefined;
  return Math.ceil((limited.opened + ms - now) / 1000);
}

function answerTo(
  /** @type {import('node:http').IncomingMessage} */ request,
  /** @type {number} */ number,
) {
  const seconds = refused();
  if (seconds !== undefined) {
    seen.throttled++;
    return problem(429, 'too many requests', { 'retry-after': `${seconds}` });
  }
  const url = new URL(request.url ?? '/', `http://${request.headers.host}`);
  if (request.method !== 'GET' || url.pathname !== '/dois') return problem(404, 'not found');
  if (shape.fails?.(number)) {
    seen.failed++;
    return problem(502, 'bad gateway');
  }
  const query = url.searchParams.get('query') ?? '';
  if (shape.created === 'refused' && query.includes('created:')) {
    return problem(400, 'the query cannot be read');
  }
  return pageOf(url, shape.created === 'ignored' ? '' : query, request.headers);
}

function pageOf(/** @type {URL} */ url, /** @type {string} */ query, headers) {
  const started = performance.now();
  const { searchParams: params } = url;
  const size = Math.min(MOST_RECORDS, Number(params.get('page[size]') ?? 25));
  const span = spanOf(query);
  const start = Math.max(span.start, afterCursor(params.get('page[cursor]') ?? '1'));
  const end = Math.max(start, Math.min(span.end, start + size));
  const total = span.end - span.start;
  const meta = {
    total,
    totalPages: size === 0 ? 0 : Math.ceil(total / size),
    ...(hasYears(params) ? { created: years(span) } : {}),
  };
  const links = { self: url.href };
  if (size > 0 && end - start === size) {
    params.set('page[cursor]', cursorOf(end - 1));
    links.next = url.href;
  }
  const gzip = /\bgzip\b/.test(headers['accept-encoding'] ?? '');
  const after = `],"meta":${JSON.stringify(meta)},"links":${JSON.stringify(links)}}`;
  const body = list.page({ start, end, before: '{"data":[', after, gzip });
  if (size > 0) {
    seen.pages++;
    seen.pageMs += performance.now() - started;
  }
  return {
    status: 200,
    headers: {
      'content-type': 'application/vnd.api+json; charset=utf-8',
      ...caller(headers.authorization),
      ...(gzip ? { 'content-encoding': 'gzip' } : {}),
    },
    body,
  };
}

/**
 * The indexes of the records in every range of creation times in a query; other clauses match all
 * records.
 */
function spanOf(/** @type {string} */ query) {
  let [start, end] = [0, list.times.length];
  for (const [, open, from, to, close] of query.matchAll(RANGE)) {
    const [low, high] = [Date.parse(from), Date.parse(to)];
    if (from !== '*') {
      const isIn = open === '[' ? (time) => time >= low : (time) => time > low;
      start = Math.max(
        start,
        list.first((index) => isIn(list.times[index])),
      );
    }
    if (to !== '*') {
      const isOut = close === '}' ? (time) => time >= high : (time) => time > high;
      end = Math.min(
        end,
        list.first((index) => isOut(list.times[index])),
      );
    }
  }
  return { start, end: Math.max(start, end) };
}

const cursorOf = (/** @type {number} */ index) =>
  Buffer.from(`${list.times[index]},${list.dois[index]}`).toString('base64url');

/**
 * The index of the first record after a cursor; a cursor that cannot be read is the beginning, as
 * at the service.
 */
function afterCursor(/** @type {string} */ cursor) {
  const [, created, doi] = /^(\d+),(.+)$/.exec(Buffer.from(cursor, 'base64url').toString()) ?? [];
  if (doi === undefined) return 0;
  const time = Number(created);
  return list.first(
    (index) => list.times[index] > time || (list.times[index] === time && list.dois[index] > doi),
  );
}

/** The service has no facets by default: asking for one is not enough (service.md, P20). */
const hasYears = (/** @type {URLSearchParams} */ params) =>
  shape.years !== false &&
  params.get('facets') === 'created' &&
  params.get('disable-facets') === 'false';

/** The latest years that have records, latest first. */
function years({ start, end }) {
  const buckets = [];
  for (let last = end; last > start && buckets.length < FACET_YEARS; ) {
    const year = new Date(list.times[last - 1]).getUTCFullYear();
    const from = Math.max(
      start,
      list.first((index) => list.times[index] >= Date.UTC(year, 0)),
    );
    buckets.push({ id: `${year}`, title: `${year}`, count: last - from });
    last = from;
  }
  return buckets;
}

/** The account in the answer. */
function caller(/** @type {string | undefined} */ authorization) {
  const [, basic] = /^Basic (\S+)$/i.exec(authorization ?? '') ?? [];
  if (basic === undefined) return { 'x-anonymous-consumer': 'true' };
  return {
    'x-credential-username': Buffer.from(basic, 'base64').toString().split(':')[0].toLowerCase(),
  };
}

function problem(/** @type {number} */ status, /** @type {string} */ title, headers = {}) {
  const errors = status === 400 ? { title } : [{ status: `${status}`, title }];
  const body = Buffer.from(JSON.stringify({ errors }));
  return { status, headers: { 'content-type': 'application/json', ...headers }, body };
}

/** The requests, and the mean number of open requests in the second half of the time. */
function report() {
  const now = performance.now();
  const ends = times.map(({ to }) => Math.min(to, now));
  const last = Math.max(...ends);
  const middle = ((times[0]?.from ?? 0) + last) / 2;
  const open = times.reduce(
    (sum, { from }, at) => sum + Math.max(0, ends[at] - Math.max(middle, from)),
    0,
  );
  const { requests, throttled, failed, mostOpen, pages, pageMs } = seen;
  return {
    requests,
    throttled,
    failed,
    mostOpen,
    openInSecondHalf: open / (last - middle),
    pageMs: pageMs / pages,
  };
}

server.listen(0, '127.0.0.1', () => {
  console.log(JSON.stringify({ baseUrl: `http://127.0.0.1:${server.address().port}` }));
});
process.once('SIGTERM', () => {
  console.log(JSON.stringify(report()));
  process.exit();
});
