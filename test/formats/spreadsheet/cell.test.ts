import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  damageOf,
  fromCell,
  isWordForNothing,
  toCell,
} from '../../../src/formats/spreadsheet/cell.ts';

describe('a cell', () => {
  it.each([
    ...`=1+1 -x @a ＝1+1 1.0 007 1e5 2024-05-01 2024-05 12:30 10:30:15.5 1.2 12.5 1.234 3/4 TRUE
      null SEP2 9783161484100 '=x ''null NA nan None n/a Infinity`.split(/\s+/),
    ...['+49 30', '\tb', '12:30 pm', '9 am', 'May 2020', '50 %'],
  ])('%j is kept from the spreadsheet', (text) => {
    expect(toCell(text)).toBe(`'${text}`);
    expect(fromCell(toCell(text))).toBe(text);
    expect(damageOf(toCell(text), 'date')).toBeUndefined();
  });

  it.each([
    ...['', 'A title'],
    ..."2026 -73.9 44.7167 https://doi.org/10.5072/x 'quoted' 0000-0002-1825-0097 O'Neil".split(
      ' ',
    ),
  ])('%j stays as it is', (text) => {
    expect(toCell(text)).toBe(text);
    expect(fromCell(text)).toBe(text);
  });

  it('with a version that is a number is kept from programs that write 2 as 2.0', () => {
    for (const text of ['2', '2.5', '-1']) {
      expect(toCell(text, true)).toBe(`'${text}`);
      expect(fromCell(`'${text}`)).toBe(text);
    }
    expect(fromCell(toCell("'2"))).toBe("'2");
  });

  it('says every text exactly', () => {
    const odd = fc.string({ unit: fc.constantFrom(...`'=+-@\t\r\n",;0123456789.eE nul`) });
    fc.assert(fc.property(fc.oneof(fc.string(), odd), (text) => fromCell(toCell(text)) === text));
  });
});

it('a cell of the publication year holds a year', () => {
  const years = ['2025', ' 2025.0', '2025,0', '', 'NA'];
  expect(years.filter((text) => damageOf(text, 'year') !== undefined)).toEqual([]);
  const others = `1905-07-17 17.07.1905 Jul-05 20250101 01.2025 2024/2025 2025-01 2025年1月1日 45658
    2025a 25 c.2025`.split(/\s+/);
  for (const text of [...others, '7/17/1905 12:00', 'July 17, 1905', '2025-01-01 00:00:00'])
    expect(damageOf(text, 'year'), text).toMatch(/^has to be a year such as 2024/);
});

it('knows the words for an empty value', () => {
  const words =
    `NA N/A <NA> NaN NULL null None #N/A nil - -- — \\N NaT #NV ? . n.a. n/d [null] (null)
    (blank) -nan 1.#QNAN missing undefined`.split(/\s+/);
  expect(words.filter((word) => !isWordForNothing(word))).toEqual([]);
  expect(['a', 'Nan Li', '0', 'none.', 'NAD', '…'].filter(isWordForNothing)).toEqual([]);
});
