import { describe, expect, it } from 'vitest';
import { parseRetryAfter, retryDelayMs } from '../../../src/api/http/retry.ts';

describe('retryDelayMs', () => {
  it('doubles its upper bound up to half a minute, with full jitter', () => {
    expect([1, 2, 3, 6, 7, 20].map((attempt) => retryDelayMs(attempt, 1, undefined))).toEqual([
      500, 1000, 2000, 16_000, 30_000, 30_000,
    ]);
    expect(retryDelayMs(5, 0, undefined)).toBe(0);
    expect(retryDelayMs(5, 0.5, undefined)).toBe(4000);
  });
  it('waits at least as long as the service asks, up to five minutes', () => {
    expect(retryDelayMs(1, 0.1, 7000)).toBe(7000);
    expect(retryDelayMs(7, 1, 7000)).toBe(30_000);
    expect(retryDelayMs(1, 1, 86_400_000)).toBe(300_000);
  });
});

describe('parseRetryAfter', () => {
  const now = Date.parse('2026-01-01T00:00:00Z');
  it.each([
    ['3', 3000],
    ['0', 0],
    ['Thu, 01 Jan 2026 00:00:10 GMT', 10_000],
    ['Thu, 01 Jan 2025 00:00:10 GMT', 0],
    ['1.9', 2000],
    ['0.2', 1000],
    ['1,5', 2000],
    ['120 seconds', 120_000],
    ['2026-01-01T00:00:10Z', 10_000],
    ['soon', 10_000],
    ['-5', 10_000],
    ['2 minutes', 10_000],
    ['', 10_000],
    [undefined, undefined],
  ])('%s', (header, ms) => {
    expect(parseRetryAfter(header, now)).toBe(ms);
  });
});
