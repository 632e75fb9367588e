import { describe, expect, it } from 'vitest';
import { delimitedLine } from '../../src/text/csv.ts';

describe('delimitedLine', () => {
  it('quotes only what must be quoted', () => {
    expect(delimitedLine(['a', 'b c', '', 'é'])).toBe('a,b c,,é\n');
    expect(delimitedLine(['a,b', 'say "hi"', 'two\nlines', 'cr\r'])).toBe(
      '"a,b","say ""hi""","two\nlines","cr\r"\n',
    );
  });
});
