import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { CliError } from '../../../../src/errors.ts';
import { against } from '../../../helpers/against.ts';
import { jsonLines } from '../../../helpers/json-lines.ts';
import { type RunOptions, run } from '../../../helpers/run.ts';
import {
  type Answer,
  answer,
  type Exchange,
  reset,
  serve,
  silent,
} from '../../../helpers/server.ts';
import { temporaryDirectory } from '../../../helpers/temporary.ts';

const ANONYMOUS = { 'x-anonymous-consumer': 'true' };
const end =
  (status: number, headers: Record<string, string> = {}) =>
  (response: ServerResponse) =>
    response.writeHead(status, headers).end();

/** How the server of the landing pages answers a path. */
const PAGES: Readonly<Record<string, (response: ServerResponse, exchange: Exchange) => void>> = {
  '/ok': end(200),
  '/no-content': end(204),
  '/gone': end(410),
  '/no-head': (response, { method }) => end(method === 'HEAD' ? 405 : 200)(response),
  '/head-is-404': (response, { method }) => end(method === 'HEAD' ? 404 : 200)(response),
  '/redirect': end(302, { location: '/ok', 'set-cookie': 'a=b' }),
  '/to-gone': end(301, { location: '/gone' }),
  '/circle': end(302, { location: '/circle' }),
  '/nowhere': end(302),
  '/to-ftp': end(302, { location: 'ftp://example.org/' }),
  '/reset': reset,
  '/silent': silent,
  '/refused': end(403),
  '/robots': end(999),
  '/busy': end(429, { 'retry-after': '7' }),
  '/endless': (response, { method }) => {
    response.writeHead(method === 'HEAD' ? 500 : 200);
    if (method === 'HEAD') {
      response.end();
      return;
    }
    const timer = setInterval(() => response.write('x'.repeat(1000)), 1);
    response.on('close', () => clearInterval(timer));
  },
};

async function landingPages() {
  const { url, asked } = await serve((response, exchange) => {
    const far = /^\/far(\d+)$/.exec(exchange.url)?.[1];
    if (far !== undefined) end(307, { location: `/far${Number(far) + 1}` })(response);
    else (PAGES[exchange.url.replace(/\?.*/, '')] ?? end(404))(response, exchange);
  });
  return { at: (path: string) => `${url.origin}${path}`, asked };
}

const CHECK = ['dois', 'check-links', '--client-id', 'demo.repo', '--allow-private'];
const ONE_JOB = [...CHECK, '--jobs', '1'];
const ACCOUNT = { DOI_CLI_REPOSITORY: 'A.B', DOI_CLI_PASSWORD: 'secret' };

/** A list of records with these URLs. @param total the number of records that it states. */
function listing(urls: readonly unknown[], total = urls.length): Answer {
  const data = urls.map((url, index) => ({
    id: `10.5072/${index}`,
    type: 'dois',
    attributes: { url },
  }));
  return answer(200, { data, meta: { total }, links: {} }, ANONYMOUS);
}

/** A server that interrupts the run, as long as it is told to. */
async function stopping() {
  const stop = { controller: new AbortController(), isOn: true };
  const { url } = await serve((response) => {
    if (stop.isOn) stop.controller.abort(new CliError('interrupted', 'interrupted'));
    else end(200)(response);
  });
  return Object.assign(stop, { url: `${url.origin}/` });
}

interface Result {
  readonly doi: string;
  readonly url: string | null;
  readonly status: number | null;
  readonly ok: boolean | null;
  readonly finalUrl?: string;
  readonly error?: string;
  readonly checkedAt: string;
}

/** Checks these addresses. */
async function check(urls: readonly unknown[], argv = CHECK, options: RunOptions = {}) {
  const made = await against(argv, listing(urls), options);
  const results = jsonLines<Result>(made.stdout);
  results.sort((a, b) => Number(a.doi.slice(8)) - Number(b.doi.slice(8)));
  return { ...made, results };
}

describe('dois check-links', () => {
  const LOGIN = ': the server refuses programs, or needs a login';
  it.each<
    [string, number | null, boolean | null, error?: string, finalUrl?: string, requests?: string]
  >([
    ['/ok', 200, true, '', '', 'HEAD /ok'],
    ['/no-content', 204, true],
    ['/gone', 410, false, 'HTTP 410', '', 'HEAD /gone GET /gone'],
    ['/no-head', 200, true, '', '', 'HEAD /no-head GET /no-head'],
    ['/head-is-404', 200, true],
    ['/redirect', 200, true, '', '/ok', 'HEAD /redirect HEAD /ok'],
    ['/to-gone', 410, false, 'HTTP 410', '/gone'],
    ['/circle', 302, false, 'redirects in a circle', '', 'HEAD /circle'],
    ['/far1', 307, false, 'redirects more than 10 times', '/far11'],
    ['/nowhere', 302, false, 'HTTP 302'],
    ['/to-ftp', null, null, 'only http and https are checked, not ftp:', 'ftp://example.org/'],
    ['/reset', null, false, 'the connection was reset', '', 'HEAD /reset HEAD /reset'],
    ['/silent', null, false, 'no answer came in time'],
    ['/busy', 429, null, 'the server limits requests', '', 'HEAD /busy HEAD /busy'],
    ['/refused', 403, null, `HTTP 403${LOGIN}`, '', 'HEAD /refused GET /refused'],
    ['/robots', 999, null, `HTTP 999${LOGIN}`],
    ['/endless', 200, true],
  ])('gives the result of %s', async (path, status, ok, error, final, requests) => {
    const pages = await landingPages();
    const { code, results } = await check([pages.at(path)], [...CHECK, '--timeout', '300ms']);
    const finalUrl = final?.startsWith('/') ? pages.at(final) : final;
    const result = {
      ...{ doi: '10.5072/0', url: pages.at(path), status, ok },
      ...(finalUrl ? { finalUrl } : {}),
      ...(error ? { error } : {}),
      checkedAt: /^\d{4}-\d\d-\d\dT.*Z$/,
    };
    expect([code, results]).toEqual([0, [result]]);
    const asked = pages.asked.map(({ method, url }) => `${method} ${url}`).join(' ');
    if (requests) expect(asked).toBe(requests);
  });

  it('sends no credentials and no cookies, neither those of the account nor those in an address', async () => {
    const pages = await landingPages();
    const url = pages.at('/redirect').replace('//', '//user:word@');
    const argv = ['dois', 'check-links', '--mine', '--allow-private'];
    const records = answer(200, {
      data: [{ id: '10.5072/0', type: 'dois', attributes: { url } }],
      meta: { total: 1 },
      links: {},
    });
    const made = await against(argv, records, { env: ACCOUNT });
    expect(made).toMatchObject({ code: 0, stderr: /1 DOI checked in 1 s: 0 broken/ });
    expect(made.asked[0]?.url).toContain('client-id=a.b');
    expect(made.asked[0]?.headers.authorization).toBeDefined();
    expect(pages.asked).toHaveLength(2);
    for (const { headers } of pages.asked) {
      expect(headers).not.toHaveProperty('authorization');
      expect(headers).not.toHaveProperty('cookie');
      expect(headers['user-agent']).toMatch(/^doi-cli\//);
    }
  });

  it.each(
    `http://127.0.0.1:1/ http://2130706433:1/ http://0x7f.1:1/ http://[::1]:1/
    http://[::ffff:127.0.0.1]:1/ http://localhost:1/ http://10.1.2.3/ http://172.31.0.1/
    http://192.168.0.1/ http://169.254.169.254/latest/meta-data/ http://100.64.0.1/ http://0.0.0.0/
    http://[fd00::1]/ http://[fe80::1]/ http://[64:ff9b::10.0.0.1]/
    http://192.0.2.1/ http://192.88.99.1/ http://198.19.0.1/ http://198.51.100.7/ http://203.0.113.9/
    http://255.255.255.255/ http://[2001:db8::1]/ http://[3fff:fff::1]/ http://[2001:2::1]/
    http://[5f00::1]/ http://[64:ff9b:1::1]/ http://[::ffff:203.0.113.9]/`.split(/\s+/),
  )('does not ask %s without --allow-private', async (url) => {
    const argv = ['dois', 'check-links', '--client-id', 'demo.repo', '--exit-code'];
    const { code, results } = await check([url], argv);
    expect(code).toBe(0);
    const error = /--allow-private/;
    expect(results).toMatchObject([{ url, status: null, ok: null, error }]);
  });

  it('says what is no address that can be asked', async () => {
    const { code, results } = await check([
      null,
      '',
      ...'example.org ftp://example.org/ javascript:alert(1)'.split(' '),
    ]);
    expect(code).toBe(0);
    expect(results).toMatchObject([
      { url: null, ok: false, error: 'the record has no address' },
      { url: null, ok: false, error: 'the record has no address' },
      { url: 'example.org', ok: false, error: 'this is not a URL' },
      { url: 'ftp://example.org/', ok: null },
      { url: 'javascript:alert(1)', ok: null },
    ]);
  });

  it('asks one host once a second, and another at once', async () => {
    const [one, other] = [await landingPages(), await landingPages()];
    const urls = [
      ...Array.from({ length: 5 }, (_, index) => `${one.at('/ok')}?${index}`),
      other.at('/ok'),
    ];
    const polite = await check(urls);
    const waited = polite.waits.reduce((sum, ms) => sum + ms, 0);
    expect(waited).toBeGreaterThan(3900);
    expect(waited).toBeLessThan(6000);
    const fast = await check(urls, [...CHECK, '--rate', '1000/1s']);
    expect(fast.waits.reduce((sum, ms) => sum + ms, 0)).toBeLessThan(100);
  });

  it('exits with 1 for a broken address with --exit-code alone', async () => {
    const pages = await landingPages();
    const urls = [pages.at('/ok'), pages.at('/gone')];
    expect((await check(urls)).code).toBe(0);
    expect((await check(urls, [...CHECK, '--exit-code'])).code).toBe(1);
    expect((await check([pages.at('/ok')], [...CHECK, '--exit-code'])).code).toBe(0);
  });

  it('reads DOIs from a file, and tells those that do not exist', async () => {
    const pages = await landingPages();
    const record = (id: string) =>
      answer(200, { data: { id, type: 'dois', attributes: { url: pages.at('/ok') } } }, ANONYMOUS);
    const answers = [record('10.5072/a'), answer(404, { errors: [] })];
    const stdin =
      '10.5072/A\n\nhttps://doi.org/10.5072/a\n{"line":1,"doi":"10.5072/b","outcome":"created"}\n';
    const argv = ['dois', 'check-links', '--file', '-', '--allow-private', '--jobs', '1'];
    const { code, stdout, asked } = await against(argv, answers, { stdin });
    expect(code).toBe(0);
    expect(jsonLines(stdout)).toMatchObject([
      { doi: '10.5072/a', status: 200, ok: true },
      { doi: '10.5072/b', url: null, status: null, ok: false, error: 'the DOI was not found' },
    ]);
    expect(asked).toHaveLength(2);
  });

  it('refuses bad input before any request', async () => {
    for (const [words, stdin, message] of [
      [[], '', 'name the DOIs to check'],
      [['--limit', '3'], '', 'name the DOIs to check'],
      [['--file', '-', '--mine'], '10.5072/a', '--file excludes filters'],
      [['--file', '-'], '10.5072/a\nnonsense\n', "stdin:2: 'nonsense' is not a DOI"],
      [['--file', '-'], '{"x":1}\n', 'stdin:1: '],
      [['--file', '-'], '\n', 'stdin holds no DOIs'],
      [['--file', '/nonexistent/x'], '', 'cannot read /nonexistent/x'],
      [['--mine', '--fields', 'url'], '', "unknown option '--fields'"],
    ] as const) {
      const made = await against(['dois', 'check-links', ...words], [], { stdin });
      expect([made.code, made.asked], words.join(' ')).toEqual([2, []]);
      expect(made.stderr).toContain(message);
    }
  });

  it('leaves Drafts out unless they are asked for', async () => {
    const pages = await landingPages();
    const data = ['draft', 'findable'].map((state) => ({
      id: `10.5072/${state}`,
      type: 'dois',
      attributes: { state, url: pages.at(`/ok?${state}`) },
    }));
    const list = answer(200, { data, meta: { total: 2 }, links: {} });
    const argv = ['dois', 'check-links', '--mine', '--allow-private'];
    const usual = await against(argv, list, { env: ACCOUNT });
    expect(usual.stdout).toMatch(/^\{"doi":"10\.5072\/findable".*\}\n$/);
    const all = await against([...argv, '--state', 'draft,findable'], list, { env: ACCOUNT });
    expect(all.stdout.match(/\n/g)).toHaveLength(2);
  });

  it('stops at an interrupt with the results so far, and says how many addresses it has checked', async () => {
    const [pages, stop] = [await landingPages(), await stopping()];
    const urls = [pages.at('/ok'), pages.at('/no-content'), stop.url, pages.at('/ok?4')];
    const made = await check(urls, ONE_JOB, { signal: stop.controller.signal });
    expect([made.code, made.results]).toMatchObject([130, [{ ok: true }, { ok: true }]]);
    expect(made.stderr).toBe(
      'error: interrupted after 2 of 4 DOIs, 0 of them broken\n' +
        'hint: with --out links.csv, the same command continues a run that was stopped\n',
    );
  });

  it('ends with 3 when the list of records ends early', async () => {
    const pages = await landingPages();
    const made = await against([...CHECK, '--retries', '0'], listing([pages.at('/ok')], 2));
    expect([made.code, made.stdout.match(/\n/g)?.length]).toEqual([3, 1]);
  });

  it('judges a host that cannot be reached once', async () => {
    const pages = await landingPages();
    // Nothing listens on this port.
    const hosts = ['http://127.0.0.1:1', 'http://nowhere.invalid'];
    const urls = [
      ...hosts.flatMap((host) => [1, 2, 3, 4].map((place) => `${host}/${place}`)),
      pages.at('/ok'),
    ];
    const { results, stderr } = await check(urls, [...CHECK, '--verbose']);
    const errors = results.map(({ error }) => error);
    expect(errors.slice(0, 4)).toEqual(Array(4).fill('the connection was refused'));
    expect(errors.slice(4, 8)).toEqual(Array(4).fill(/^the host name /));
    expect(results[8]?.ok).toBe(true);
    for (const host of hosts)
      expect(stderr.match(new RegExp(`^HEAD ${host}/`, 'gm')), host).toHaveLength(2);
  });

  it('shows on a terminal what is broken, and at which hosts', async () => {
    const pages = await landingPages();
    const silent = [1, 2, 3, 4, 5].map((place) => `http://127.0.0.1:1/${place}`);
    const urls = [pages.at('/gone'), pages.at('/ok'), pages.at('/busy'), null, ...silent];
    const terminal = { stdout: true, columns: 80 };
    const { code, stdout, stderr } = await against(ONE_JOB, listing(urls), { terminal });
    const host = new URL(pages.at('/')).host;
    expect([code, stdout.replaceAll(host, 'HOST').replaceAll(/ +/g, ' ')]).toEqual([
      0,
      `DOI ADDRESS REASON
10.5072/0 http://HOST/gone 410 gone
10.5072/3 (none) the record has no address
10.5072/4 http://127.0.0.1:1/1 the connection was refused
10.5072/5 http://127.0.0.1:1/2 the connection was refused
10.5072/6 http://127.0.0.1:1/3 the connection was refused
… and 2 more; --out results.csv has all

HOST DOIS BROKEN WHAT
127.0.0.1:1 5 5 the connection was refused
HOST 3 1 410 gone (1), the server limits requests (1)
(none) 1 1 the record has no address
`,
    ]);
    expect(stderr).toMatch(/^9 DOIs checked in \d+ s: 7 broken, 1 unknown\n$/);
  });

  it.each([
    [
      'csv',
      /^doi,url,status,ok,finalUrl,error,checkedAt\n10.5072\/0,http:.*\/gone,410,false,,HTTP 410,2.*Z\n$/,
    ],
    ['json', /^\[\n\{"doi":"10.5072\/0",.*"error":"HTTP 410",.*\}\n\]\n$/],
    [
      'table',
      /^DOI +ADDRESS +REASON\n10.5072\/0 +http:.*\/gone +410 gone\n\nHOST +DOIS +BROKEN +WHAT\n127.*\n$/,
    ],
  ])('prints %s', async (format, expected) => {
    const pages = await landingPages();
    const made = await against([...CHECK, '--format', format], listing([pages.at('/gone')]));
    expect(made.stdout).toMatch(expected);
  });

  it('with --out continues a run that was stopped, and begins a finished one anew', async () => {
    const out = join(temporaryDirectory(), 'links.csv');
    const [pages, stop] = [await landingPages(), await stopping()];
    const urls = [pages.at('/gone'), pages.at('/busy'), pages.at('/ok'), stop.url];
    const service = await serve(listing(urls));
    const env = { DOI_CLI_BASE_URL: service.url.href };
    const check = () => run([...ONE_JOB, '--out', out], { env, signal: stop.controller.signal });
    expect(await check()).toMatchObject({
      code: 130,
      stdout: '',
      stderr:
        'error: interrupted after 3 of 4 DOIs, 1 of them broken; 3 results kept\n' +
        'hint: the same command again continues\n',
    });
    expect(existsSync(out)).toBe(false);
    // As a crash leaves it.
    appendFileSync(`${out}.partial`, '\n{"doi":"10.5072/');
    Object.assign(stop, { controller: new AbortController(), isOn: false });
    const before = pages.asked.length;
    const { code, stderr } = await check();
    expect([code, stderr]).toEqual([
      0,
      /^continues with the 2 results in .*links.csv.partial\n4 DOIs checked in /,
    ]);
    expect(pages.asked.slice(before).map(({ url }) => url)).toEqual(['/busy', '/busy']);
    expect(
      readFileSync(out, 'utf8')
        .split('\n')
        .map((line) => line.split(',')[0]),
    ).toEqual(['doi', '10.5072/0', '10.5072/1', '10.5072/2', '10.5072/3', '']);
    expect(existsSync(`${out}.partial`)).toBe(false);
    expect((await check()).stderr).toMatch(/^4 DOIs checked in/);
    expect(pages.asked.slice(before)).toHaveLength(2 + 5);
  });

  it.each(['links.xlsx', 'links', 'links.zip'])(
    'refuses --out %s before any request',
    async (name) => {
      const argv = ['dois', 'check-links', '--mine', '--out', join(temporaryDirectory(), name)];
      expect(await against(argv, listing([]))).toMatchObject({ code: 2, asked: [] });
    },
  );
});
