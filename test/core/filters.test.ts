import { describe, expect, it } from 'vitest';
import { widening } from '../../src/core/filters.ts';

describe('widening', () => {
  it('names the filters that widen each other', () => {
    const names = (...given: string[]) => widening(given.map((name) => [name, 'x']));
    expect(names('client-id', 'prefix')).toEqual([]);
    expect(names('client-id', 'prefix', 'has-funder')).toEqual(['client-id', 'has-funder']);
  });
});
