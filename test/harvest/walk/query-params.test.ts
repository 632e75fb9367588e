import { describe, expect, it } from 'vitest';
import { combinedQuery } from '../../../src/harvest/walk/query-params.ts';

describe('combinedQuery', () => {
  it('puts the query into parentheses', () => {
    expect(combinedQuery('a OR b', 'created:[* TO *]')).toBe('(a OR b) AND created:[* TO *]');
    expect(combinedQuery('a', 'b:1', undefined, 'c:1')).toBe('(a) AND b:1 AND c:1');
  });
  it('leaves alone what stands alone', () => {
    expect(combinedQuery('a OR b', undefined)).toBe('a OR b');
    expect(combinedQuery(undefined, 'b:1')).toBe('b:1');
    expect(combinedQuery('  ', 'b:1', 'c:1')).toBe('b:1 AND c:1');
    expect(combinedQuery('', undefined)).toBe(undefined);
  });
  it.each([
    'a AND (b OR (c))',
    'title:"a ) ( [ } b"',
    'title:"a \\" ) b"',
    'a\\) b\\( \\" \\[ \\\\',
    'updated:[2024-01-01 TO 2024-02-01}',
    'x:{1 TO 2] OR (y:{1 TO 2} AND z:[1 TO 2])',
    'x:["a ] b" TO "c"] (d)',
    'x:[( TO a\\] (b)',
    'x:"\\\\" (a)',
    'titles.title:"two\nlines" \\\n',
    'doi:10.5438\\/0012',
  ])('accepts %s', (query) => {
    expect(combinedQuery(query, 'b:1')).toBe(`(${query}) AND b:1`);
  });
  it.each([
    ['a) OR (b', ') at character 2 has no counterpart'],
    ['(a', '( at character 1 has no counterpart'],
    ['((a) b', '( at character 1 has no counterpart'],
    ['a "b', '" at character 3 has no counterpart'],
    ['a "b\\"', '" at character 3 has no counterpart'],
    ['x:[1 TO 2', '[ at character 3 has no counterpart'],
    ['x:{1 TO "2}', '{ at character 3 has no counterpart'],
    ['(x:[1 TO 2)', '[ at character 4 has no counterpart'],
    ['x:1 TO 2]', '] at character 9 has no counterpart'],
    ['a}', '} at character 2 has no counterpart'],
    ['a \\(b)', ') at character 6 has no counterpart'],
    ['a\\', '\\ at character 2 escapes nothing'],
  ])('refuses %s', (query, problem) => {
    expect(() => combinedQuery(query, 'b:1')).toThrow(`the query is not balanced: ${problem}`);
  });
  it('takes little time for a long query', () => {
    const start = process.cpuUsage();
    expect(() => combinedQuery('['.repeat(100_000))).toThrow('not balanced');
    expect(() => combinedQuery('x:["'.repeat(25_000))).toThrow('not balanced');
    expect(() => combinedQuery(`${'('.repeat(100_000)}`)).toThrow('not balanced');
    expect(process.cpuUsage(start).user).toBeLessThan(2_000_000);
  });
});
