import { randomBytes } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { describe, expect, it, vi } from 'vitest';
import {
  BadBody,
  decoded,
  parseJson,
  readJson,
  readText,
  unpacked,
} from '../../../src/api/http/body.ts';
import { TooLarge } from '../../../src/api/http/network-error.ts';
import { Semaphore } from '../../../src/concurrency/promises.ts';
import { CliError } from '../../../src/errors.ts';

const MB = 1024 * 1024;
const never = new AbortController().signal;

async function* inPieces(bytes: Buffer, size = 1000): AsyncGenerator<Buffer> {
  for (let from = 0; from < bytes.length; from += size) yield bytes.subarray(from, from + size);
}

interface Options {
  readonly encoding?: string | undefined;
  readonly maxBytes?: number;
  readonly large?: Semaphore;
  readonly size?: number;
}

async function decode(
  body: Buffer,
  { encoding, maxBytes = 64 * MB, large = new Semaphore(1), size }: Options = {},
): Promise<Buffer> {
  return decoded(inPieces(body, size), { encoding, maxBytes, large, signal: never });
}

const text = Buffer.from('{"data":[]}\n'.repeat(10_000));
/** As a string, which is compared much faster. */
const joined = (...pieces: readonly Buffer[]) => Buffer.concat(pieces).toString('latin1');

describe('a body', () => {
  it.each([undefined, '', 'identity', 'IDENTITY'])(
    'that is encoded as %j stays',
    async (encoding) => {
      expect(joined(await decode(text, { encoding }))).toBe(joined(text));
    },
  );
  it.each(['gzip', 'x-gzip', 'GZIP'])('that is encoded as %s is unpacked', async (encoding) => {
    expect(joined(await decode(gzipSync(text), { encoding }))).toBe(joined(text));
  });
  it.each([
    ['br', 'br'],
    ['zstd', 'zstd'],
    ['secret-thing', 'something'],
    ['gzip, gzip', 'something'],
  ])('that is encoded as %s cannot be used', async (encoding, name) => {
    const error = await decode(text, { encoding }).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(CliError);
    expect(error).toMatchObject({
      kind: 'unavailable',
      message: `the answer is encoded as ${name}, which was not asked for`,
    });
  });
  it('is whole, whatever the network does', async () => {
    expect(joined(await decode(text, { size: 7 }))).toBe(joined(text));
  });
  it('keeps the order of large and small pieces', async () => {
    const parts = [10, 20_000, 10, 10, 40_000, 70_000, 1].map((size) => randomBytes(size));
    async function* body() {
      yield* parts;
    }
    const options = { encoding: undefined, maxBytes: MB, large: new Semaphore(1), signal: never };
    expect(joined(await decoded(body(), options))).toBe(joined(...parts));
  });
});

describe('the limit of a body', () => {
  it.each([undefined, 'gzip'])('counts its bytes, encoded as %s', async (encoding) => {
    const body = encoding === undefined ? text : gzipSync(text);
    const within = await decode(body, { encoding, maxBytes: text.length });
    expect(within).toHaveLength(text.length);
    await expect(decode(body, { encoding, maxBytes: text.length - 1 })).rejects.toThrow(TooLarge);
  });
  it('also holds for compressed bytes', async () => {
    const body = gzipSync(randomBytes(8 * MB + 1), { level: 0 });
    await expect(decode(body, { encoding: 'gzip', size: 64 * 1024 })).rejects.toThrow(
      'the answer is larger than 8 MB compressed',
    );
  });
});

describe('a large body', () => {
  const isPending = (promise: Promise<unknown>) =>
    Promise.race([
      promise.then(() => false),
      new Promise<boolean>((resolve) => setTimeout(() => resolve(true), 20)),
    ]);

  it.each([
    ['larger than a megabyte', Buffer.alloc(MB + 1), undefined, 1],
    ['larger than a megabyte as gzip', gzipSync(randomBytes(MB)), 'gzip', 1],
    ['of little gzip', gzipSync('{}'), 'gzip', 0],
    ['of just a megabyte', Buffer.alloc(MB), undefined, 0],
  ])('%s takes slots, and gives them back', async (_, body, encoding, slots) => {
    const large = new Semaphore(1);
    const acquire = vi.spyOn(large, 'acquire');
    await decode(body, { encoding, large, size: 64 * 1024 });
    expect(acquire).toHaveBeenCalledTimes(slots);
    expect(await isPending(large.acquire())).toBe(false);
  });
  it('waits for its slot', async () => {
    const large = new Semaphore(1);
    const release = await large.acquire();
    const reading = decode(Buffer.alloc(MB + 1), { large, size: 64 * 1024 });
    expect(await isPending(reading)).toBe(true);
    release();
    expect(joined(await reading)).toHaveLength(MB + 1);
  });
  it('gives its slot back when it fails', async () => {
    const large = new Semaphore(1);
    const broken = gzipSync(text).subarray(0, 100);
    await expect(decode(broken, { encoding: 'gzip', large })).rejects.toThrow(/unexpected end/);
    expect(await isPending(large.acquire())).toBe(false);
  });
});

describe('gzip', () => {
  it.each([0, 0xffff_ffff])('is unpacked although its size claims to be %i', (claimed) => {
    const lie = Buffer.from(gzipSync(text));
    lie.writeUInt32LE(claimed, lie.length - 4);
    expect(() => unpacked(lie, MB)).toThrow(/incorrect length check/);
  });
  it.each([0, 3, 20, -1])('that is cut after %i bytes is refused', (length) => {
    expect(() => unpacked(gzipSync(text).subarray(0, length), MB)).toThrow(/unexpected end/);
  });
  it('of several members is unpacked up to the limit', () => {
    const members = [text, text, '{}'].map((member) => gzipSync(member));
    const body = Buffer.concat(members);
    expect(unpacked(body, MB)).toHaveLength(2 * text.length + 2);
    expect(() => unpacked(body, 2 * text.length + 1)).toThrow(TooLarge);
  });
  it('is not unpacked after its request was stopped', async () => {
    const stop = new AbortController();
    async function* body() {
      yield gzipSync(text);
      stop.abort(new Error('stopped'));
    }
    const options = { encoding: 'gzip', maxBytes: MB, large: new Semaphore(1) };
    await expect(decoded(body(), { ...options, signal: stop.signal })).rejects.toThrow('stopped');
  });
});

describe('the reader', () => {
  const answer = (body: Buffer | string) => ({ body: async () => Buffer.from(body) });
  it('of text and JSON returns the whole body', async () => {
    expect(await readText(answer('grüße'))).toBe('grüße');
    expect(await readJson(answer('{"data":1}'))).toEqual({ data: 1 });
  });
  it('passes its limit on', async () => {
    const limits: number[] = [];
    const body = async (maxBytes: number) => {
      limits.push(maxBytes);
      return Buffer.from('{}');
    };
    await readJson({ body }, 7);
    await readText({ body });
    expect(limits).toEqual([7, 16 * MB]);
  });
  it.each([
    ['bytes that are not UTF-8', Buffer.from([0x22, 0xff, 0x22]), /not UTF-8/],
    ['a list', '[]', /not a JSON object/],
    ['a text', '"secret"', /not a JSON object/],
    ['a broken document', '{"secret"', /not valid JSON/],
  ])('refuses %s, without a quote', async (_, body, message) => {
    const error = await readJson(answer(body)).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(BadBody);
    expect((error as Error).message).toMatch(message);
    expect((error as Error).message).not.toContain('secret');
  });
  it.each([
    ['{"a":1,"a":2}', true],
    ['{"data":{"a":1,"a":2}}', true],
    ['{"data":{"attributes":{"a":1,"a":2}}}', true],
    ['{"data":{"attributes":{"titles":{"a":1,"a":2}}}}', false],
  ])('of %s refuses a repeated member: %s', (json, isRefused) => {
    if (isRefused) expect(() => parseJson(json)).toThrow(BadBody);
    else expect(parseJson(json)).toEqual(JSON.parse(json));
  });
  it('refuses a document of too many levels', () => {
    expect(() => parseJson('['.repeat(2000) + ']'.repeat(2000))).toThrow(TooLarge);
  });
});
