import { describe, expect, it } from 'vitest';
import { emulate, PASSWORD, REPOSITORY } from '../../helpers/emulator.ts';
import { idsIn, jsonLines } from '../../helpers/json-lines.ts';
import { run } from '../../helpers/run.ts';
import {
  type Answer,
  answer,
  type Exchange,
  reset,
  serve,
  truncated,
} from '../../helpers/server.ts';

const KEY = `DC.${'k'.repeat(32)}`;
const paramsOf = ({ url }: Pick<Exchange, 'url'>) =>
  Object.fromEntries(new URL(url, 'http://x').searchParams);

/** Runs `api` against a server that gives these answers. */
async function served(answers: readonly Answer[], argv: readonly string[], options = {}) {
  const { url, asked } = await serve(...answers);
  const env = {
    DOI_CLI_BASE_URL: url.href,
    DOI_CLI_REPOSITORY: REPOSITORY,
    DOI_CLI_PASSWORD: PASSWORD,
  };
  return { asked, url, ...(await run(['api', ...argv], { env, ...options })) };
}

const text = (body: string, type = 'application/json'): Answer =>
  answer(200, body, { 'content-type': type });
const CURSOR = 'page[cursor]=x';
/** A page of a list, with a link that loses all filters. */
const page = (names: readonly string[], next: string | undefined, total?: number): Answer =>
  answer(200, {
    data: names.map((id) => ({ id, type: 'things' })),
    meta: total === undefined ? {} : { total },
    links: next === undefined ? {} : { next: `/things?${next}` },
  });

describe('api', () => {
  it('prints the answer as it came, with one line end', async () => {
    const body = '{"data": {"id":"1", "n":1.0}}';
    const { code, stdout, asked } = await served([text(body)], ['things/1?a=b', '--field', 'c=d']);
    expect([code, stdout]).toEqual([0, `${body}\n`]);
    expect(asked[0]?.url).toBe('/things/1?a=b&c=d');
    const credentials = Buffer.from(`${REPOSITORY}:${PASSWORD}`).toString('base64');
    expect(asked[0]?.headers.authorization).toBe(`Basic ${credentials}`);
    expect((await served([text(`${body}\n`)], ['things/1'])).stdout).toBe(`${body}\n`);
  });

  it('indents JSON on a terminal, and escapes control characters', async () => {
    const terminal = { stdout: true };
    const made = await served([text('{"a":1}')], ['/x'], { terminal });
    expect(made.stdout).toBe('{\n  "a": 1\n}\n');
    const odd = await served([text('a\u001b[2J', 'text/plain')], ['/x'], { terminal });
    expect(odd.stdout).toBe('a\\u001b[2J\n');
  });

  it('prints an answer that is not JSON, and refuses broken JSON and web pages', async () => {
    const { run: asAccount } = await emulate();
    expect(await asAccount(['api', 'heartbeat'])).toMatchObject({ code: 0, stdout: 'OK\n' });
    const broken = await served([text('{"data":')], ['/x', '--retries', '1']);
    expect([broken.code, broken.stdout, broken.asked.length]).toEqual([5, '', 2]);
    const html = await served([answer(200, '<html>')], ['/x', '--retries', '0']);
    expect([html.code, html.stdout]).toEqual([5, '']);
    const none = await served([answer(204, undefined)], ['/x']);
    expect([none.code, none.stdout]).toEqual([0, '']);
    expect(none.stderr).toBe('the service answered without content\n');
  });

  it.each<[string, Answer, number, RegExp, ...string[]]>([
    ['404', answer(404, { errors: [{ status: '404', title: 'Gone.' }] }), 1, /Gone\. \(HTTP 404\)/],
    ['401', answer(401, { errors: [{ title: 'Bad credentials.' }] }), 4, /did not accept/],
    ['403', answer(403, { errors: [{ title: 'Not allowed.' }] }), 4, /does not allow it/],
    ['503', answer(503, 'down'), 5, /HTTP 503/],
    ['a reset', reset, 5, /no answer/],
    ['a cut answer', truncated, 5, /no answer/, '--anonymous'],
  ])('ends with an error and no output after %s', async (_, what, expected, message, ...open) => {
    const { code, stdout, stderr } = await served([what], ['/things', '--retries', '0', ...open]);
    expect([code, stdout]).toEqual([expected, '']);
    expect(stderr).toMatch(message);
  });

  it.each([
    ['../x', /step/],
    ['/a/..;/b', /step/],
    [`/x?q=${KEY}`, /whole API key/],
    ['/a/../../b', /step/],
    ['/a/%2e%2E/b', /step/],
    ['/a/%252e%252e/b', /step/],
    ['/a/..%2fb', /step/],
    ['/a%', /percent/],
    ['', /empty/],
    ['//evil.example/dois', /begins with/],
    ['\\\\evil.example\\dois', /backslash/],
    ['/dois#x', /%23/],
    ['/dois\n/x', /control/],
    ['https://evil.example/dois', /not below/],
    ['http://user:hunter22@127.0.0.1/dois', /not below/],
    ['C:/Program Files/Git/dois', /Git Bash/],
  ])('refuses the path %j before any request', async (path, message) => {
    const { code, asked, stderr } = await served([text('{}')], ['--', path]);
    expect([code, asked]).toEqual([2, []]);
    expect(stderr).toMatch(message);
    expect(stderr).not.toMatch(/hunter22|kkkk/);
  });

  it('accepts an address below the base URL only', async () => {
    const { url, asked } = await serve(text('{}'));
    const env = { DOI_CLI_BASE_URL: `${url.href}root` };
    const codes = [];
    for (const end of ['root/x?a=1', 'root', 'rooted/x', 'root/../x', '']) {
      codes.push((await run(['api', `${url.href}${end}`], { env })).code);
    }
    expect(codes).toEqual([0, 0, 2, 2, 2]);
    expect(asked.map((exchange) => exchange.url)).toEqual(['/root/x?a=1', '/root/']);
    const user = url.href.replace('//', '//a:hunter22@');
    const named = await run(['api', `${user}root/x`], { env });
    expect([named.code, named.stderr.includes('hunter22')]).toEqual([2, false]);
  });

  it('sends credentials to no other host, where the service redirects there', async () => {
    const other = await serve(text('{}'));
    const away: Answer = (response) => response.writeHead(302, { location: other.url.href }).end();
    const { code } = await served([away], ['/things']);
    expect([code, other.asked]).toEqual([1, []]);
  });

  it('sends headers, but none that would replace the credentials', async () => {
    const accept = ['--header', 'Accept: text/csv'];
    const { asked } = await served([text('a,b', 'text/csv')], ['/x', ...accept]);
    expect(asked[0]?.headers.accept).toBe('text/csv');
    for (const name of ['Authorization', 'authorization ', 'HOST', 'Cookie', 'Proxy-Authorization'])
      expect((await served([text('{}')], ['/x', '--header', `${name}: x`])).code).toBe(2);
    for (const wrong of ['Accept', 'a b: c', 'X: a\r\nAuthorization: b', `X: Bearer ${KEY}`]) {
      const refused = await served([text('{}')], ['/x', '--header', wrong]);
      expect([refused.code, refused.asked, refused.stderr.includes(KEY)]).toEqual([2, [], false]);
    }
  });

  it('shows no secret with --verbose', async () => {
    const { stderr } = await served(
      [text('{}')],
      ['/things', '--field', `q=${PASSWORD}`, '--verbose'],
    );
    expect(stderr).toMatch(/^GET http:\S+\/things\?q=\*\*\* 200/m);
    expect(stderr).not.toContain(PASSWORD);
  });

  it('says that an endpoint may take no credentials', async () => {
    const nameless: Answer = (response) =>
      response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
    const { code, stdout, stderr } = await served([nameless], ['/things']);
    expect([code, stdout]).toEqual([4, '']);
    expect(stderr).toMatch(/hint: .*--anonymous/);
    expect((await served([nameless], ['/things', '--anonymous'])).stdout).toBe('{}\n');
  });

  it.each(['/heartbeat', '/events', '/dois/10.5072/x/activities', '/enrichments', '/10.5072/x'])(
    'sends no credentials to %s, which looks at none',
    async (path) => {
      const open = answer(200, { data: [] }, { 'x-anonymous-consumer': 'true' });
      const { code, asked } = await served([open], [path]);
      expect([code, asked[0]?.headers.authorization]).toEqual([0, undefined]);
    },
  );
});

describe('api --method', () => {
  const post = ['/things', '--method', 'post'];

  it('asks, and needs --yes without a terminal', async () => {
    const made = await served([text('{}')], [...post, '--field', 'a=1']);
    expect([made.code, made.asked]).toEqual([2, []]);
    expect(made.stderr).toMatch(/^error: a POST may change .*no terminal.*\nhint: .* --yes$/m);
    const terminal = { stdin: true, stderr: true };
    const no = await served([text('{}')], post, { terminal, stdin: 'n\n' });
    expect([no.code, no.asked]).toEqual([1, []]);
    expect(no.stderr).toMatch(/Send a POST to http:\S+\/things\? \[y\/N\]/);
    const yes = await served([text('{}')], post, { terminal, stdin: 'y\n' });
    expect([yes.code, yes.asked.length]).toEqual([0, 1]);
    const both = await served([text('{}')], [...post, '--input', '-'], { terminal, stdin: '{}' });
    expect([both.code, both.asked]).toEqual([2, []]);
    expect(both.stderr).toMatch(/stdin has the body.*\nhint: .* --yes$/m);
  });

  it('makes JSON of fields, as gh does', async () => {
    const fields = ['data[type]=dois', 'data[n]=2', 'data[t][]=a', 'data[t][]=true', 'x=01'];
    const argv = fields.flatMap((field) => ['--field', field]);
    const { asked } = await served([text('{}')], [...post, '--yes', ...argv]);
    const body = { data: { type: 'dois', n: 2, t: ['a', true] }, x: '01' };
    expect(JSON.parse(asked[0]?.body ?? '')).toEqual(body);
    expect(asked[0]?.headers['content-type']).toBe('application/vnd.api+json');
    for (const wrong of [
      ['a=1', 'a=2'],
      ['a=1', 'a[b]=2'],
      ['a[][b]=1'],
      ['a[]=1', 'a[b]=2'],
      ['a[]=1', 'a[__proto__][b]=2'],
      [`a=is ${KEY}`],
      ['a[=1'],
      ['=1'],
      ['a'],
    ]) {
      const more = wrong.flatMap((field) => ['--field', field]);
      const refused = await served([text('{}')], [...post, '--yes', ...more]);
      expect([wrong, refused.code, refused.asked]).toEqual([wrong, 2, []]);
    }
    const proto = await served([text('{}')], [...post, '--yes', '--field', '__proto__[a]=1']);
    expect(proto.asked[0]?.body).toBe('{"__proto__":{"a":1}}');
  });

  it('sends JSON of a file or stdin unaltered, and fields as the query', async () => {
    const stdin = '{"a": 1.0}\n';
    const argv = ['/things', '--input', '-', '--field', 'b=c', '--yes', '--no-input'];
    const { asked } = await served([text('{}')], argv, { stdin });
    expect(asked[0]).toMatchObject({ method: 'POST', url: '/things?b=c', body: stdin });
    for (const wrong of ['{"a":', '{"a":1,"a":2}', '', '\u00ff\u0000'])
      expect(await served([text('{}')], argv, { stdin: wrong })).toMatchObject({
        code: 2,
        asked: [],
        stderr: /^error: stdin:1/,
      });
    const wide = Buffer.from('\ufeff{"a": 1.0}', 'utf16le') as never;
    expect((await served([text('{}')], argv, { stdin: wide })).asked[0]?.body).toBe('{"a": 1.0}');
    const large = JSON.stringify('x'.repeat(11 * 1024 * 1024));
    expect(await served([text('{}')], argv, { stdin: large })).toMatchObject({
      code: 2,
      asked: [],
    });
    const lost = await served([text('{}')], ['/things', '--input', '/no/file', '--yes']);
    expect([lost.code, lost.asked]).toEqual([2, []]);
  });

  it.each([
    ['/x', '--method', 'TRACE'],
    ['/x', '--method', 'GET', '--input', '-'],
    ['/x', '--method', 'DELETE', '--input', '-', '--yes'],
    ['/x', '--method', 'POST', '--paginate', '--yes'],
    ['/x', '--paginate', '--field', 'page[number]=2'],
    ['/x?page%5Bcursor%5D=1', '--paginate'],
    ['/x?page[size]=0', '--paginate'],
  ])('refuses %s %s %s before any request', async (...argv) => {
    const { code, asked } = await served([text('{}')], argv, { stdin: '{}' });
    expect([code, asked]).toEqual([2, []]);
  });

  it('does not say that nothing was deleted after a lost answer', async () => {
    const gone = answer(404, { errors: [{ title: 'Gone.' }] });
    const argv = ['/things/1', '--method', 'DELETE', '--yes'];
    const { code, asked, stderr } = await served([reset, gone], argv);
    expect([code, asked.map(({ method }) => method)]).toEqual([5, ['DELETE', 'DELETE']]);
    expect(stderr).toMatch(/Gone\. \(HTTP 404\); the request may have been carried out/);
  });

  it('creates, changes and deletes a record', async () => {
    const { run: asAccount } = await emulate();
    const send = (line: string) => asAccount(['api', ...line.split(' '), '--yes']);
    const made = await send(
      'dois --method POST --field data[type]=dois --field data[attributes][doi]=10.5072/made',
    );
    expect(JSON.parse(made.stdout)).toMatchObject({ data: { id: '10.5072/made' } });
    const url = 'https://example.org/';
    const put = await send(`dois/10.5072/made --method PATCH --field data[attributes][url]=${url}`);
    expect(JSON.parse(put.stdout)).toMatchObject({ data: { attributes: { url } } });
    const gone = await send('dois/10.5072/made --method DELETE');
    expect([gone.code, gone.stdout]).toEqual([0, '']);
    expect(await send('dois/10.5072/made')).toMatchObject({ code: 1 });
  });

  it.each([
    'credentials/api-keys',
    '/credentials//api-keys/',
    '/credentials/%61pi-keys/x',
    '/Credentials/api_keys.json',
    '/credentials/api-keys.json/',
    '/credentials/api-keys.xml',
    '/credentials/api-keys;x',
    '/credentials/api%252Dkeys',
    '/credentials/api-keys%20',
  ])('leaves %s to the commands for keys', async (path) => {
    const { env, log } = await emulate();
    const argv = ['api', path, '--method', 'POST', '--yes'];
    const { code, stderr } = await run(argv, { env });
    expect([code, await log()]).toEqual([2, []]);
    expect(stderr).toMatch(/hint: doi-cli keys create/);
    const withKey = { ...env, DOI_CLI_API_KEY: KEY, DOI_CLI_PASSWORD: undefined };
    for (const words of [argv, ['api', path]]) {
      const refused = await run(words, { env: withKey });
      expect(refused).toMatchObject({ code: 4, stdout: '' });
      expect(refused.stderr).toContain('which an API key cannot replace');
    }
    expect(await log()).toEqual([]);
  });

  it('lists keys with a password', async () => {
    const emulator = await emulate();
    await emulator.newKey('ci');
    const { stdout } = await emulator.run(['api', 'credentials/api-keys']);
    expect(JSON.parse(stdout).data[0].attributes.name).toBe('ci');
  });
});

describe('api --paginate', () => {
  const all = ['/things', '--paginate', '--retries', '0', '--anonymous'];

  it('keeps the filters that links lose, by a cursor (service.md, P9)', async () => {
    const { run: asAccount, log } = await emulate({ records: 300 });
    const argv = 'api /dois --paginate --field state=draft --field page[size]=7'.split(' ');
    const { code, stdout } = await asAccount(argv);
    expect(code).toBe(0);
    const states = jsonLines(stdout).map(({ attributes }) => attributes.state);
    expect(states.length).toBeGreaterThan(7);
    expect(new Set(states)).toEqual(new Set(['draft']));
    expect((await log()).length).toBeGreaterThan(1);
    const count = await asAccount(['dois', 'list', '--state', 'draft', '--count']);
    expect(states.length).toBe(Number(count.stdout));
  });

  it('lists all records of a provider, each once', async () => {
    const { run: asAccount } = await emulate({ records: 300 });
    const filter = ['--field', 'provider-id=caltech'];
    const { stdout } = await asAccount(['api', '/dois', '--paginate', ...filter]);
    const listed = await asAccount(['dois', 'list', '--all', '--provider-id', 'caltech']);
    expect(idsIn(stdout)).toEqual(idsIn(listed.stdout));
    const below = await asAccount(['api', '/providers/caltech/dois', '--paginate']);
    expect(idsIn(below.stdout)).toEqual(idsIn(stdout));
  });

  it.each(['/dois/', '/dois.json', '/events/'])('walks %s by a cursor', async (path) => {
    const answers = [page(['a'], CURSOR, 2), page(['b'], undefined, 2)];
    const { asked } = await served(answers, [path, '--paginate', '--anonymous']);
    expect(asked.map((each) => paramsOf(each)['page[cursor]'])).toEqual(['1', 'x']);
  });

  it('reads events by a cursor, with filters that links lose (service.md, O11)', async () => {
    const { run: asAccount, log } = await emulate({ records: 100 });
    const dois = jsonLines((await asAccount(['dois', 'list', '--all', '--detail'])).stdout);
    const cited = dois.find(({ attributes: a }) => a.state === 'findable' && a.citationCount > 20);
    const { id, attributes } = cited as { id: string; attributes: { citationCount: number } };
    const version = ['--header', 'Accept: application/vnd.api+json; version=2'];
    const filter = ['--field', `target-doi=${id.toUpperCase()}`, '--field', 'page[size]=10'];
    const argv = ['api', 'events', '--paginate', ...filter, ...version];
    const { stdout } = await asAccount(argv);
    const events = jsonLines(stdout);
    expect(events).toHaveLength(attributes.citationCount);
    expect(new Set(events.map((event) => event.attributes.targetDoi))).toEqual(new Set([id]));
    expect((await log()).filter(({ path }) => path.startsWith('/events')).length).toBeGreaterThan(
      2,
    );
  });

  it('counts pages where the endpoint has no cursor', async () => {
    const { run: asAccount } = await emulate();
    const small = await asAccount(['api', '/clients', '--paginate', '--field', 'page[size]=3']);
    const whole = JSON.parse((await asAccount(['api', '/clients?page[size]=1000'])).stdout);
    expect(idsIn(small.stdout)).toEqual(whole.data.map(({ id }: { id: string }) => id));
    const sorted = ['/things?sort=-name', '--paginate'];
    const { asked } = await served(
      [page(['a'], 'page[number]=2', 2), page(['b'], undefined, 2)],
      sorted,
    );
    expect(asked.map(paramsOf)).toEqual(
      ['1', '2'].map((number) => ({ sort: '-name', 'page[size]': '1000', 'page[number]': number })),
    );
  });

  it('takes the size of a page from its endpoint', async () => {
    const answers = [page(['a', 'b'], CURSOR, 5), page(['c', 'd'], 'page[cursor]=y', 5)];
    const made = await served([...answers, page(['e'], undefined, 5)], [...all, '--field', 'f=1']);
    expect([made.code, made.stderr]).toEqual([0, '']);
    expect(idsIn(made.stdout)).toEqual(['a', 'b', 'c', 'd', 'e']);
    expect(made.asked.map(paramsOf).map(({ f, 'page[cursor]': cursor }) => [f, cursor])).toEqual([
      ['1', undefined],
      ['1', 'x'],
      ['1', 'y'],
    ]);
  });

  it('ends where links end, if the service does not count (service.md, O12)', async () => {
    const made = await served([page(['a'], CURSOR), page(['b'], undefined)], all);
    expect([made.code, idsIn(made.stdout), made.asked.length]).toEqual([0, ['a', 'b'], 2]);
  });

  it('prints nothing for an empty list', async () => {
    for (const total of [0, undefined]) {
      const { code, stdout, stderr } = await served([page([], undefined, total)], all);
      expect([code, stdout, stderr]).toEqual([0, '', '']);
    }
  });

  it('keeps changes of one request, which share an id (service.md, O7)', async () => {
    const change = (version: number) => ({ id: 'r', type: 'activities', attributes: { version } });
    const answers = answer(200, { data: [change(1), change(2)], meta: { total: 2 }, links: {} });
    const made = await served([answers], ['/dois/10.5072/x/activities', '--paginate']);
    expect([made.code, jsonLines(made.stdout).length]).toEqual([0, 2]);
  });

  const elsewhere = answer(200, {
    data: [{ id: 'a' }],
    links: { next: 'https://evil.example/?page[cursor]=x' },
  });
  it.each<[string, readonly Answer[], string, RegExp]>([
    ['a link that repeats', [page(['a'], CURSOR, 9), page(['b'], CURSOR, 9)], 'ab', /second time/],
    [
      'the same page behind new links',
      [page(['a'], CURSOR, 9), page(['a'], 'page[cursor]=y', 9)],
      'a',
      /only records seen before/,
    ],
    ['fewer records than are counted', [page(['a'], undefined, 3)], 'a', /counts 3 records/],
    ['a link to another host', [elsewhere], 'a', /another host/],
    ['a link without a page', [page(['a'], 'offset=3', 3)], 'a', /neither a cursor nor/],
    ['a page that is cut off', [page(['a'], CURSOR, 3), truncated], 'a', /stopped after/],
    [
      'more records than page numbers reach',
      [page(['a'], 'page[number]=2', 10_001)],
      'a',
      /first 10,000 of 10,001/,
    ],
  ])('ends with exit code 3 after %s', async (_, answers, printed, message) => {
    const { code, stdout, stderr } = await served(answers, all);
    expect([code, idsIn(stdout).join('')]).toEqual([3, printed]);
    expect(stderr).toMatch(message);
  });

  it('refuses what is no list', async () => {
    const one = await served([answer(200, { data: { id: 'a' } })], all);
    expect([one.code, one.stdout]).toEqual([1, '']);
    expect(one.stderr).toContain('hint: leave out --paginate');
    const plain = await served([text('OK', 'text/plain')], all);
    expect([plain.code, plain.stdout]).toEqual([5, '']);
  });
});
