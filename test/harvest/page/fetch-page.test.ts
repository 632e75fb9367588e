import { describe, expect, it } from 'vitest';
import type { WireResponse } from '../../../src/api/http/transport.ts';
import { readPage } from '../../../src/harvest/page/fetch-page.ts';

/** An answer whose body arrives in the given pieces. */
function answerOf(...pieces: readonly string[]): WireResponse {
  return {
    status: 200,
    header: () => undefined,
    body: async function* () {
      for (const piece of pieces) yield Buffer.from(piece);
    },
    encodedBody: async function* () {},
    discard: () => undefined,
  };
}

const record = (index: number) =>
  `{"id":"10.5072/${index}","attributes":{"links":{"next":"no"},"a":"${'é'.repeat(500)}"}}`;
const records = Array.from({ length: 2000 }, (_, index) => record(index)).join(',');

describe('readPage', () => {
  it('reads a body that arrives in any pieces', async () => {
    const text = `{"data":[${records}],"links":{"next":"x"}}`;
    const pieces = text.match(/[\s\S]{1,700001}/g) ?? [];
    const page = await readPage(answerOf(...pieces));
    expect(page.count).toBe(2000);
    expect(Buffer.concat(page.lines()).toString()).toBe(
      `${records.replaceAll('},{"id"', '}\n{"id"')}\n`,
    );
  });
});
