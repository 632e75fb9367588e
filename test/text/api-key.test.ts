import { describe, expect, it } from 'vitest';
import { parseKeyName } from '../../src/text/api-key.ts';

describe('parseKeyName', () => {
  it.each([
    'ci\nerror: all is lost',
    'ci\r\nRevoked everything',
    'ci\u001b[2J',
    'ci\u00ad',
    'ci\u200b',
    'ci\u{e0065}\u{e0076}',
    'ci\ufe0f',
    'ci\u2028x',
    'ci\ud800',
  ])('refuses %j', (text) => {
    expect(() => parseKeyName(`${text}x`)).toThrow('a name must not contain');
  });
});
