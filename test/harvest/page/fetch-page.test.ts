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

async function read(response: WireResponse) {
  const links: unknown[] = [];
  const page = await readPage(response, (found) => links.push(found));
  return { page, links };
}

describe('readPage', () => {
  it('tells the links at the end of a large body once, and scans all of it', async () => {
    const { page, links } = await read(
      answerOf(`{"data":[${records}],"meta":{"total":2},"links":{"next":"x"}}`),
    );
    expect(links).toEqual([{ next: 'x' }]);
    expect(page.count).toBe(2000);
    expect(Buffer.concat(page.lines()).toString()).toBe(`${records.replaceAll('},{"id"', '}\n{"id"')}\n`);
  });
  it('tells the links of a large body before it has been scanned', async () => {
    let told = false;
    const broken = answerOf(`{"data":[${records},],"links":{"next":"x"}}`);
    await expect(
      readPage(broken, () => {
        told = true;
      }),
    ).rejects.toThrow(/malformed/);
    expect(told).toBe(true);
  });
  it.each([
    ['before the data', `{"links":{"next":"x"},"data":[${records}]}`],
    ['with white space', `{"data":[${records}],\n "links": {"next":"x"}}\n`],
    ['far from the end', `{"data":[${records}],"links":{"next":"x"},"included":["${'y'.repeat(20_000)}"]}`],
  ])('tells links %s, and no others', async (_, text) => {
    expect((await read(answerOf(text))).links).toEqual([{ next: 'x' }]);
  });
  it('takes no other links for those of the document', async () => {
    const decoys = [
      `{"data":[${records}],"meta":{"links":{"next":"no"}}}`,
      `{"links":{"next":"x"},"data":[${records}]}`,
    ];
    expect((await read(answerOf(decoys[0] ?? ''))).links).toEqual([]);
    expect((await read(answerOf(decoys[1] ?? ''))).links).toEqual([{ next: 'x' }]);
  });
  it('reads a body that arrives in any pieces', async () => {
    const text = `{"data":[${records}],"links":{"next":"x"}}`;
    const pieces = text.match(/[\s\S]{1,700001}/g) ?? [];
    expect((await read(answerOf(...pieces))).page.count).toBe(2000);
  });
});
