import { describe, expect, it } from 'vitest';
import {
  parseDuration,
  parseInteger,
  parseMailto,
  parseRate,
  parseRepository,
  parseText,
} from '../../src/text/parsers.ts';

describe('parseDuration', () => {
  it.each([
    ['250ms', 250],
    ['30s', 30_000],
    ['1.5m', 90_000],
    ['12h', 43_200_000],
    ['90d', 7_776_000_000],
  ])('%s', (text, ms) => {
    expect(parseDuration(text)).toBe(ms);
  });
  it.each(['', '30', 's', '-1s', '1 s', '1y', '1e3s'])('refuses %j', (text) => {
    expect(() => parseDuration(text)).toThrow(/not a duration.*30s/);
  });
});

describe('parseRate', () => {
  it('takes requests per duration', () => {
    expect(parseRate('3000/5m')).toEqual({ requests: 3000, windowMs: 300_000 });
    expect(parseRate('40/s')).toEqual({ requests: 40, windowMs: 1000 });
  });
  it.each(['', '40', '40/', '/5m', '0/1s', '1/0s', '1/2/3s', 'x/1s'])('refuses %j', (text) => {
    expect(() => parseRate(text)).toThrow();
  });
});

describe('parseInteger', () => {
  it('takes the bounds and nothing beyond them', () => {
    const parse = parseInteger(0, 1000);
    expect([parse('0'), parse('1000')]).toEqual([0, 1000]);
    for (const text of ['-1', '1001', '1.5', '', 'ten', '0x10', '1e3']) {
      expect(() => parse(text), text).toThrow(/whole number from 0 to 1000/);
    }
  });
});

it('refuses an empty text', () => {
  expect(() => parseText('  ')).toThrow(/empty/);
});

describe('parseRepository', () => {
  it('takes an id, and neither a colon nor a whole API key', () => {
    expect(parseRepository('DEMO.REPO')).toBe('DEMO.REPO');
    for (const text of ['a:b', 'a b', '', `DC.${'a1'.repeat(16)}`])
      expect(() => parseRepository(text), text).toThrow();
  });
});

describe('parseMailto', () => {
  it('takes addresses, and nothing that could leave its place in a header', () => {
    expect(parseMailto('me@example.org')).toBe('me@example.org');
    for (const text of ['me', 'me@host', 'a@b.c)', 'a@b.c\r\nX: y', 'a b@c.d']) {
      expect(() => parseMailto(text), text).toThrow(/not an email address/);
    }
  });
});
