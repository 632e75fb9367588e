import { describe, expect, it } from 'vitest';
import { csvLine } from '../../src/text/csv.ts';

describe('csvLine', () => {
  it('quotes only what must be quoted', () => {
    expect(csvLine(['a', 'b c', '', 'é'])).toBe('a,b c,,é\n');
    expect(csvLine(['a,b', 'say "hi"', 'two\nlines', 'cr\r'])).toBe(
      '"a,b","say ""hi""","two\nlines","cr\r"\n',
    );
  });
});
