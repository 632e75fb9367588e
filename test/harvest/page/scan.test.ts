import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { scanCode } from '../../../scripts/scan.mjs';
import * as grammar from '../../../src/harvest/page/grammar.ts';
import { PIECE_BYTES, Scan } from '../../../src/harvest/page/scan.ts';
import { splitPage } from '../../../src/harvest/page/splitter.ts';

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

  it('is not led by what an earlier document has left behind the end of its own', () => {
    expect(() => splitPage(Buffer.from(`{"meta":[${'"",'.repeat(PIECE_BYTES / 3)}`))).toThrow();
    const page = splitPage(Buffer.from('{"data":[{"id":"aaaaab"}],"meta":{"total":[1,[2]]}}'), 5);
    expect(page.id(0)).toBe('aaaaab');
    expect(page.envelope).toEqual({ meta: { total: [1, [2]] } });
  });
});
