import { Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import type { Answer } from '../helpers/server.ts';

const MB = 1024 * 1024;

/** A body that goes on with `unit` until the client hangs up. */
function endless(begin: string, unit: string): Answer {
  const block = Buffer.from(unit.repeat(Math.ceil(MB / unit.length)));
  return (response) => {
    response.writeHead(200, HEADERS);
    function* blocks() {
      yield Buffer.from(begin);
      for (;;) yield block;
    }
    Readable.from(blocks()).pipe(response);
  };
}

const HEADERS = {
  'content-type': 'application/vnd.api+json',
  'x-credential-username': 'demo.repo',
};

/** Gzip of `megabytes` times `unit` in members of 32 MB, behind a member with `begin`. */
function bomb(begin: string, unit: string, megabytes: number, { lie = false } = {}): Answer {
  const member = gzipSync(unit.repeat(Math.ceil((32 * MB) / unit.length)), { level: 9 });
  // The last four bytes claim the unpacked size of the member.
  if (lie) member.writeUInt32LE(1, member.length - 4);
  const body = Buffer.concat([
    gzipSync(begin),
    ...Array.from({ length: megabytes / 32 }, () => member),
  ]);
  return (response) => {
    response.writeHead(200, {
      ...HEADERS,
      'content-encoding': 'gzip',
      'content-length': body.length,
    });
    response.end(body);
  };
}

/**
 * Answers that would fill any memory. They grow, or unpack to far more than the program may keep.
 */
export const ENDLESS: Readonly<Record<string, () => Answer>> = {
  'an endless string': () => endless('{"data":[{"id":"', 'a'),
  'an endless list of records': () => endless('{"data":[', '{"id":"10.5072/a"},'),
  'an endless list of empty records': () => endless('{"data":[', '{},'),
  'an endless list in a record': () =>
    endless('{"data":[{"id":"10.5072/a","attributes":{"a":[', '{},'),
  'endless blanks': () => endless('{"data":[{', ' '),
  'endless lines': () => endless('{"data":[', '\n'),
  'endless links': () => endless('{"links":{"next":"', 'a'),
  'endless facets': () => endless('{"meta":{"total":1,"states":[', '[],'),
  'endless members': () => endless('{"data":[],"a":"', 'a","b":"'),
  'endless levels': () => endless('{"data":[{"a":', '['),
  'a gzip bomb of 10 GB': () => bomb('{"data":[{"id":"', 'a', 10 * 1024),
  'a gzip bomb of records': () => bomb('{"data":[', '{"id":"10.5072/a"},', 1024),
  'a gzip bomb whose trailer lies': () => bomb('', '{"data":[', 256, { lie: true }),
};

/** A whole answer, plain or as gzip. */
function whole(text: string, gzip = false): Answer {
  const body = gzip ? gzipSync(text, { level: 1 }) : Buffer.from(text);
  return (response) => {
    response.writeHead(200, { ...HEADERS, ...(gzip ? { 'content-encoding': 'gzip' } : {}) });
    response.end(body);
  };
}

const ids = (count: number, more: string) =>
  Array.from({ length: count }, (_, index) => `{"id":"10.5072/${index}"${more}}`);
const page = (records: readonly string[], separator = ',') =>
  `{"data":[${records.join(separator)}],"meta":{"total":${records.length}},"links":{}}`;
const LIST = ['dois', 'list', '--all', '--page-size', '1000'];
const GET = ['dois', 'get', '10.5072/a', '--format', 'json'];

const titled = (title: string) => `,"attributes":{"titles":[{"title":"${title}"}]}`;

/** Whole answers just within what the program accepts, whose contents cost the most memory. */
export const LARGE: Readonly<Record<string, { answer: () => Answer; argv: readonly string[] }>> = {
  'records with white space': {
    answer: () =>
      whole(page(ids(900, `,"attributes": {"a": "${'b'.repeat(32_000)}"}`), ' ,\n '), true),
    argv: LIST,
  },
  'records with long identifiers': {
    answer: () =>
      whole(page(ids(900, '').map((text) => text.replace('/', `/${'a'.repeat(32_000)}`))), true),
    argv: LIST,
  },
  'long titles as CSV': {
    answer: () => whole(page(ids(900, titled('ab€'.repeat(6_500)))), true),
    argv: ['dois', 'list', '--format', 'csv', '--page-size', '1000'],
  },
  'long titles as a table': {
    answer: () => whole(page(ids(900, titled('ab€'.repeat(3_000)))), true),
    argv: ['dois', 'list', '--format', 'table', '--page-size', '1000'],
  },
  'one record of many values as CSV': {
    answer: () => whole(page(ids(1, `,"attributes":{"a":[${'{},'.repeat(990_000)}1]}`))),
    argv: ['dois', 'list', '--format', 'csv'],
  },
  'a record of many values': {
    answer: () =>
      whole(`{"data":{"id":"10.5072/a","attributes":{"a":[${'{},'.repeat(990_000)}1]}}}`),
    argv: GET,
  },
  'a record of many levels': {
    answer: () => whole(`{"data":{"id":"10.5072/a","attributes":{"a":${deep(990)}}}}`),
    argv: GET,
  },
  'a record of a long string': {
    answer: () =>
      whole(`{"data":{"id":"10.5072/a","attributes":{"a":"${'€'.repeat(5_000_000)}"}}}`),
    argv: GET,
  },
  'many keys': {
    answer: () => whole(`{"data":[${`${KEY},`.repeat(70_000)}${KEY}],"meta":{"total":70001}}`),
    argv: ['keys', 'list'],
  },
};

function deep(levels: number): string {
  return '['.repeat(levels) + ']'.repeat(levels);
}

export const KEY =
  '{"id":"1","type":"apiKeys","attributes":{"name":"n","keyPrefix":"DC.12345678",' +
  '"created":"2026-01-01T00:00:00Z","updated":"2026-01-01T00:00:00Z",' +
  '"lastUsedAt":null,"revokedAt":null}}';
