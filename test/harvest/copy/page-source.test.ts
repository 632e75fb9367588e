import { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import type { Call } from '../../../src/api/http/call.ts';
import type { WireResponse } from '../../../src/api/http/transport.ts';
import type { Service } from '../../../src/api/service.ts';
import { Semaphore } from '../../../src/concurrency/promises.ts';
import { PageSource } from '../../../src/harvest/copy/page-source.ts';

const PAGE = '{"data":[{"id":"10.5072/a"},{"id":"10.5072/b"}],"links":{"next":"x"}}';

/** A service that answers every request with the same page. */
const service = {
  http: {
    url: () => new URL('http://127.0.0.1/dois'),
    call: <T>({ read }: Call<T>) =>
      read({
        status: 200,
        header: () => undefined,
        body: async () => Buffer.from(PAGE),
        encodedBody: (read) => read(Readable.from([PAGE])),
        discard: () => undefined,
      } satisfies WireResponse),
  },
} as unknown as Service;

const source = (slots: Semaphore) => new PageSource({ service, now: () => 0 }, slots);

describe('PageSource', () => {
  it('releases the slot and the bytes of a page, which an old reference cannot read', async () => {
    const slots = new Semaphore(1);
    const first = source(slots);
    const page = await first.fetch([]);
    expect(Buffer.concat(page.lines()).toString()).toBe('{"id":"10.5072/a"}\n{"id":"10.5072/b"}\n');
    const waiting = source(slots).fetch([]);
    first.release();
    expect((await waiting).count).toBe(2);
    expect(() => page.lines()).toThrow(RangeError);
    expect(() => page.id(0)).toThrow(RangeError);
    expect(() => page.record(0)).toThrow(RangeError);
  });

  it('releases a page when the next one is requested', async () => {
    const one = source(new Semaphore(1));
    const page = await one.fetch([]);
    const next = await one.fetch([]);
    expect(() => page.record(0)).toThrow(RangeError);
    expect(next.record(0).toString()).toBe('{"id":"10.5072/a"}');
  });
});
