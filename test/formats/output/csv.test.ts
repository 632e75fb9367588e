import { describe, expect, it } from 'vitest';
import { delimitedLine } from '../../../src/formats/output/csv.ts';

describe('delimitedLine', () => {
  it('quotes only what must be quoted', () => {
    expect(delimitedLine(['a', 'b c', '', 'é'])).toBe('a,b c,,é\n');
    expect(delimitedLine(['a,b', 'say "hi"', 'two\nlines', 'cr\r'])).toBe(
      '"a,b","say ""hi""","two\nlines","cr\r"\n',
    );
  });

  it('disarms formulas in every spelling, and leaves numbers alone', () => {
    const formulas = [
      '=1+1',
      '+1+1',
      '-1+1',
      '@SUM(1)',
      ' =1+1',
      '\t=1',
      '\ufeff=1',
      '＝1+1',
      '-x',
    ];
    for (const formula of formulas) {
      for (const delimiter of [',', '\t'] as const)
        expect(delimitedLine([formula], delimiter)).toMatch(/^"?'/);
    }
    expect(delimitedLine(['-7.5', '-1', '10.5072/=1', 'a=b', '—', ''])).toBe(
      '-7.5,-1,10.5072/=1,a=b,—,\n',
    );
    expect(delimitedLine(["'=1+1"])).toBe("'=1+1\n");
  });
});
