// Broken answers, byte by byte, against each way to read: never exit code 0 unless the answer is
// right, never a hang, never an escape sequence on stderr. To add an answer, add a row to
// BROKEN_DOCUMENT or BROKEN_WIRE, or to ODD if it is right in spite of its looks: a function of the
// right body that gives the bytes on the wire.
import { createServer } from 'node:net';
import { deflateSync, gzipSync } from 'node:zlib';
import { describe, expect, it, onTestFinished } from 'vitest';
import { run } from '../helpers/run.ts';
import { accountAt } from '../helpers/server.ts';
import { KEY } from './endless.ts';
import { type HostileRecord, hostileService, type Reply } from './service.ts';

type Wire = (body: string) => string | Buffer;

const RECORD =
  '{"id":"10.5072/a","type":"dois","attributes":{"doi":"10.5072/a","state":"findable"}}';
const list = (data: string) => `{"data":[${data}],"meta":{"total":1,"totalPages":1},"links":{}}`;

const COMMANDS: Readonly<Record<string, { argv: readonly string[]; body: string }>> = {
  list: { argv: ['dois', 'list', '--all', '--client-id', 'demo.repo'], body: list(RECORD) },
  page: {
    argv: ['dois', 'list', '--client-id', 'demo.repo', '--format', 'csv'],
    body: list(RECORD),
  },
  count: { argv: ['dois', 'list', '--count', '--client-id', 'demo.repo'], body: list('') },
  keys: { argv: ['keys', 'list', '--format', 'ndjson'], body: list(KEY) },
  get: { argv: ['dois', 'get', '10.5072/a', '--format', 'ndjson'], body: `{"data":${RECORD}}` },
};

const HEADERS = 'Content-Type: application/vnd.api+json\r\nX-Credential-Username: demo.repo\r\n';

/** An answer with its right length, unless `more` says something else. */
function answer(
  body: string | Buffer,
  { status = '200 OK', more = '', length = -1, headers = HEADERS } = {},
) {
  const bytes = Buffer.from(body);
  const head = `HTTP/1.1 ${status}\r\n${headers}${more}Connection: close\r\nContent-Length: `;
  return Buffer.concat([
    Buffer.from(`${head}${length < 0 ? bytes.length : length}\r\n\r\n`),
    bytes,
  ]);
}

const chunked = (chunks: string) =>
  `HTTP/1.1 200 OK\r\n${HEADERS}Connection: close\r\nTransfer-Encoding: chunked\r\n\r\n${chunks}`;
const chunk = (text: string) => `${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`;
const encoded = (body: Buffer | string, encoding = 'gzip') =>
  answer(body, { more: `Content-Encoding: ${encoding}\r\n` });
const gzipped = (body: string, change: (packed: Buffer) => Buffer) =>
  encoded(change(gzipSync(body)));
const html = '<html><title>\u001b]0;title\u0007\u001b[2J</title></html>';

/** Broken before its document can be read. */
const BROKEN_WIRE: Readonly<Record<string, Wire>> = {
  'a longer Content-Length': (body) => answer(body, { length: body.length + 100 }),
  'a shorter Content-Length': (body) => answer(body, { length: body.length - 5 }),
  'two Content-Lengths': (body) => answer(body, { more: 'Content-Length: 3\r\n' }),
  'a negative Content-Length': (body) =>
    answer(body)
      .toString()
      .replace(/Length: /, 'Length: -'),
  'a Content-Length that is no number': (body) =>
    answer(body)
      .toString()
      .replace(/Length: /, 'Length: x'),
  'no body': () => answer(''),
  'chunks that end too early': (body) => chunked(chunk(body)),
  'a chunk that is too short': (body) =>
    chunked(`${(body.length + 9).toString(16)}\r\n${body}\r\n0\r\n\r\n`),
  'a chunk size that is no number': (body) => chunked(`zz\r\n${body}\r\n0\r\n\r\n`),
  'a chunk size without bounds': (body) => chunked(`fffffffffffffffff\r\n${body}`),
  'a chunk lost': (body) => chunked(`${chunk(body.slice(0, 30))}${chunk(body.slice(60))}0\r\n\r\n`),
  'gzip cut short': (body) => gzipped(body, (packed) => packed.subarray(0, -12)),
  'gzip with a wrong checksum': (body) =>
    gzipped(body, (packed) => Buffer.concat([packed.subarray(0, -8), Buffer.alloc(8)])),
  'gzip damaged in the middle': (body) =>
    gzipped(body, (packed) =>
      Buffer.from(packed.map((byte, at) => (at === 40 ? byte ^ 0xff : byte))),
    ),
  'gzip that is none': (body) => encoded(body),
  'gzip twice': (body) => encoded(gzipSync(gzipSync(body))),
  'gzip without a header': (body) => answer(gzipSync(body)),
  'an encoding that was not asked for': (body) => encoded(deflateSync(body), 'deflate'),
  'an unknown encoding': (body) => encoded(body, 'x\u001b[2Jy'),
  'status 100 only': () => 'HTTP/1.1 100 Continue\r\n\r\n',
  'status 101': () =>
    'HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n',
  'status 204': () => `HTTP/1.1 204 No Content\r\n${HEADERS}Connection: close\r\n\r\n`,
  'status 205': () => answer('', { status: '205 Reset Content' }),
  'status 300': (body) => answer(body, { status: '300 Multiple Choices' }),
  'status 304': () => `HTTP/1.1 304 Not Modified\r\n${HEADERS}Connection: close\r\n\r\n`,
  'a redirect to itself': () => answer('', { status: '302 Found', more: 'Location: /dois\r\n' }),
  'a redirect to another host': () =>
    answer('', { status: '302 Found', more: 'Location: http://127.0.0.2:1/\r\n' }),
  'status 599': (body) => answer(body, { status: '599 \u001b[2J' }),
  'status 999': (body) => answer(body, { status: '999 Odd' }),
  'status 0': (body) => answer(body, { status: '0 Odd' }),
  'a web page': () => answer(html, { headers: 'Content-Type: text/html\r\n' }),
  'a web page as JSON': () => answer(html),
  'an error with escapes': () =>
    answer(`{"errors":[{"title":"\\u001b[2J\\u0007bad"}]}`, { status: '400 Bad Request' }),
  'an error of 2 MB': () => answer('x'.repeat(2 ** 21), { status: '500 Odd' }),
  'a deep error': () =>
    answer(`{"errors":${'['.repeat(1e5)}${']'.repeat(1e5)}}`, { status: '400 Bad Request' }),
  'no HTTP': () => '\u0000\u0001\u001b[2Jgarbage\r\n\r\n',
  'no headers': (body) => body,
  'nothing at all': () => '',
  'a header of 100 KB': (body) => answer(body, { more: `X-Long: ${'a'.repeat(100_000)}\r\n` }),
  '3,000 headers': (body) => answer(body, { more: 'X-Many: a\r\n'.repeat(3_000) }),
  'a header with NUL': (body) => answer(body, { more: 'X-Odd: a\u0000b\r\n' }),
};

const BROKEN_DOCUMENT: Readonly<Record<string, Wire>> = {
  'UTF-16': (body) => answer(Buffer.from(`\ufeff${body}`, 'utf16le')),
  'bytes that are not UTF-8': (body) =>
    answer(Buffer.from(body.replace('"data"', '"d\u00ffta"'), 'latin1')),
  NaN: (body) => answer(body.replace(/^\{/, '{"a":NaN,')),
  'a NUL in a string': (body) => answer(body.replace(/^\{/, '{"a":"\u0000",')),
  'a comma too many': (body) => answer(body.replace(/\}$/, ',}')),
  'something after the document': (body) => answer(`${body}{}`),
  'the document cut short': (body) => answer(body.slice(0, -1)),
  'a million levels': (body) =>
    answer(body.replace(/^\{/, `{"a":${'['.repeat(1e6)}${']'.repeat(1e6)},`)),
  'an array': () => answer('[]'),
  'a text': () => answer('"\u001b[2J"'),
  'an empty object': () => answer('{}'),
  'data null': () => answer('{"data":null}'),
  'data of another kind': () => answer('{"data":"x","meta":{"total":"1"}}'),
};

/** Right, although unusual: exit code 0, and the same output as for the plain answer. */
const ODD: Readonly<Record<string, Wire>> = {
  'the plain answer': (body) => answer(body),
  'chunks of one byte': (body) => chunked(`${[...body].map(chunk).join('')}0\r\n\r\n`),
  'chunks with extensions and trailers': (body) =>
    chunked(`${chunk(body).replace('\r\n', ';a=b\r\n')}0\r\nX-Trailer: a\r\n\r\n`),
  'a body until the end of the connection': (body) =>
    `HTTP/1.1 200 OK\r\n${HEADERS}Connection: close\r\n\r\n${body}`,
  'an answer of HTTP/1.0': (body) => answer(body).toString().replace('HTTP/1.1', 'HTTP/1.0'),
  'gzip in two members': (body) =>
    encoded(Buffer.concat([gzipSync(body.slice(0, 20)), gzipSync(body.slice(20))])),
  'gzip in capitals': (body) => encoded(gzipSync(body), 'GZIP'),
  'early hints first': (body) =>
    Buffer.concat([Buffer.from('HTTP/1.1 103 Early Hints\r\n\r\n'), answer(body)]),
  'white space around it': (body) => answer(`\r\n\t ${body} \n`),
};

/** A server that writes these bytes to each request. */
async function wired(bytes: string | Buffer): Promise<string> {
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', () => socket.end(bytes));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as { port: number }).port}`;
}

async function asked(command: string, wire: Wire) {
  const { argv, body } = COMMANDS[command] as { argv: readonly string[]; body: string };
  const env = accountAt(new URL(await wired(wire(body))));
  return run([...argv, '--retries', '1', '--timeout', '2s'], { env });
}

describe.each(Object.keys(COMMANDS))('%s', (command) => {
  // One command reads its answer in parts, and one as a whole; the others do as these.
  const readsWire = ['list', 'get'].includes(command);
  const broken = { ...(readsWire && BROKEN_WIRE), ...BROKEN_DOCUMENT };
  it.each(Object.entries(broken))('does not believe %s', async (_, wire) => {
    const { code, stdout, stderr } = await asked(command, wire);
    expect({ code, stderr }).toMatchObject({ code: expect.toBeOneOf([1, 3, 4, 5]) });
    expect(stdout).not.toContain('10.5072/a');
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these must not appear.
    expect(stderr).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/);
    expect(stderr.length).toBeLessThan(4000);
  });

  it.each(Object.entries(readsWire ? ODD : {}))('reads %s', async (_, wire) => {
    const plain = await asked(command, (body) => answer(body));
    expect(plain.code).toBe(0);
    expect(await asked(command, wire)).toMatchObject({ code: 0, stdout: plain.stdout });
  });
});

describe('what a walk remembers', () => {
  it.each<[string, (body: Reply['body']) => void]>([
    [
      'ids',
      ({ data }) => data.splice(3, 1, { ...(data[3] as HostileRecord), id: 'a'.repeat(3000) }),
    ],
    [
      'cursors',
      ({ links }) => Object.assign(links, { next: `${links['next']}${'a'.repeat(5000)}` }),
    ],
  ])('is bounded: %s', async (_, lengthen) => {
    const { env } = await hostileService(({ body }, { page }) => {
      if (page === 2) lengthen(body);
      return undefined;
    });
    const argv = ['dois', 'list', '--all', '--anonymous', '--page-size', '100'];
    const { code, stderr } = await run(argv, { env });
    expect(code).toBe(3);
    expect(stderr).toMatch(/of \d+ characters/);
  });
});

describe('pages that are too large', () => {
  it('are asked for in smaller ones, until all records are there', async () => {
    const { env, asked } = await hostileService(
      ({ body }) => {
        for (const { attributes } of body.data) attributes['note'] = 'a'.repeat(60_000);
        return undefined;
      },
      { total: 700 },
    );
    const { code, stdout } = await run(['dois', 'list', '--all', '--anonymous'], { env });
    expect(code).toBe(0);
    expect(stdout.match(/^\{"id":"10.5072\/r/gm)).toHaveLength(700);
    // Larger ones are not tried again soon, because they are received in vain.
    const sizes = asked.map(({ url }) =>
      new URL(url, 'http://hostile').searchParams.get('page[size]'),
    );
    expect(sizes).toEqual(['1000', '250', '250', '250']);
  });
});

describe('durations that no timer can keep', () => {
  it.each([
    [['dois', 'list', '--timeout', '25h'], 'at most 24h'],
    [['dois', 'list', '--timeout', '9999999w'], 'at most 24h'],
    [['dois', 'list', '--timeout', '0s'], 'longer than 0'],
    [['emulator', 'start', '--latency', '2h'], 'at most 1h'],
    [['keys', 'audit', '--stale', '9999999w'], 'at most 5000w'],
    [['dois', 'harvest', '--dir', 'a', '--overlap', '9999999w'], 'at most 5000w'],
    [['dois', 'harvest', '--dir', 'a', '--rate', '1/30d'], 'at most a day'],
  ])('are refused before any request: %j', async (argv, words) => {
    const { code, stderr } = await run(argv, { env: { DOI_CLI_BASE_URL: 'http://127.0.0.1:1' } });
    expect(code).toBe(2);
    expect(stderr).toContain(words);
  });
  it('are fine up to the limit', async () => {
    const { env } = await hostileService(() => undefined);
    const argv = ['dois', 'list', '--count', '--anonymous', '--timeout', '24h'];
    expect(await run(argv, { env })).toMatchObject({ code: 0, stdout: '250\n' });
  });
});
