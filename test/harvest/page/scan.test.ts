import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { scanCode } from '../../../scripts/scan.mjs';
import * as grammar from '../../../src/harvest/page/grammar.ts';
import { PIECE_BYTES, Scan } from '../../../src/harvest/page/scan.ts';
import { PageSplitter } from '../../../src/harvest/page/splitter.ts';

describe('the scan', () => {
  it('is what scan.wat says (npm run scan)', async () => {
    const path = new URL('../../../src/harvest/page/scan-code.ts', import.meta.url);
    expect(readFileSync(path, 'utf8')).toBe(await scanCode());
  });

  // The scan looks at sixteen bytes at a time: any of them may end the string, and some are after
  // the end of the piece.
  it.each(['"', '\\', '\n', '\u0000', '\u001f'])(
    'stops in a string at %j wherever it stands',
    (special) => {
      for (let length = 0; length < 40; length += 1) {
        const scan = new Scan();
        scan.begin(Buffer.from('{'));
        expect(scan.next()).toBe(-1);
        scan.begin(Buffer.from(`"`));
        expect([scan.next(), scan.action]).toEqual([0, grammar.BEGIN_TOP_NAME]);
        scan.string(grammar.TOP_COLON);
        expect(scan.next()).toBe(-1);
        scan.begin(Buffer.from(`${'\u007f '.repeat(length / 2)}${special}:`));
        const at = 2 * Math.floor(length / 2);
        if (special === '"')
          expect([scan.next(), scan.action]).toEqual([at + 1, grammar.END_TOP_NAME]);
        else if (special === '\\')
          expect([scan.next(), scan.action]).toEqual([at + 1, grammar.REFUSE]);
        else expect([scan.next(), scan.action]).toEqual([at, grammar.REFUSE]);
      }
    },
  );

  it('is not led by what an earlier piece has left behind its end', () => {
    new PageSplitter().push(Buffer.from(`{"meta":[${'"",'.repeat(PIECE_BYTES / 3)}`));
    const splitter = new PageSplitter();
    splitter.push(Buffer.from('{"data":[{"id":"'));
    splitter.push(Buffer.from('a'.repeat(5)));
    splitter.push(Buffer.from('b"}]}'));
    expect(splitter.finish().id(0)).toBe('aaaaab');
  });

  it('keeps documents apart that are scanned in turns', () => {
    const texts = [
      '{"data":[{"id":"1","a":[[[{"b":"x"}]]]}]}',
      '{"meta":{"total":[1,[2,{"c":3}]]},"data":[{"id":"2"}]}',
    ];
    const splitters = texts.map(() => new PageSplitter());
    for (let at = 0; at < 60; at += 1) {
      for (const [index, text] of texts.entries())
        splitters[index]?.push(Buffer.from(text.slice(at, at + 1)));
    }
    const pages = splitters.map((splitter) => splitter.finish());
    expect(pages.map((page) => page.id(0))).toEqual(['1', '2']);
    expect(pages[1]?.envelope).toEqual({ meta: { total: [1, [2, { c: 3 }]] } });
  });
});
