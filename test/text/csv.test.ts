import { describe, expect, it } from 'vitest';
import { delimitedLine, safeField } from '../../src/text/csv.ts';

describe('delimitedLine', () => {
  it('quotes only what must be quoted', () => {
    expect(delimitedLine(['a', 'b c', '', 'é'])).toBe('a,b c,,é\n');
    expect(delimitedLine(['a,b', 'say "hi"', 'two\nlines', 'cr\r'])).toBe(
      '"a,b","say ""hi""","two\nlines","cr\r"\n',
    );
  });
});

it('protects a field that a spreadsheet would run', () => {
  expect(['=1+1', '+a', '-a', '@x', ' =1', '\tx'].map(safeField)).toEqual([
    "'=1+1",
    "'+a",
    "'-a",
    "'@x",
    "' =1",
    "'\tx",
  ]);
  expect(['-1.5', 'a=b', '', '2024'].map(safeField)).toEqual(['-1.5', 'a=b', '', '2024']);
});
