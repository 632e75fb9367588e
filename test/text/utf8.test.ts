import { expect, it } from 'vitest';
import { foreignIn, utf8Text } from '../../src/text/utf8.ts';

it('bytes of another encoding are named with their place', () => {
  const bytes = Buffer.from('a\nlac d\xe9sert\u00a0\nb', 'latin1');
  const problem = 'is not UTF-8: "lac d\ufffdsert\ufffd"';
  expect(foreignIn(bytes)).toEqual({ problem, line: 2 });
  expect(() => utf8Text(bytes, 'x.json', 7)).toThrow(`x.json:8 ${problem}`);
  const mixed = Buffer.concat([Buffer.from('é '), Buffer.of(0xe9)]);
  expect(foreignIn(mixed)?.problem).toBe('is not UTF-8: "é \ufffd"');
  expect(utf8Text(Buffer.from('\ufffd é 😀'), 'x')).toBe('\ufffd é 😀');
});
