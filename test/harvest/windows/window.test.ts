import { describe, expect, it } from 'vitest';
import { secondAfter, Window } from '../../../src/harvest/windows/window.ts';

const [FROM, TO] = [Date.UTC(2020, 0), Date.UTC(2021, 0)];
const windowOf = (
  members: Partial<Window> = {},
  span = { from: FROM as number | null, to: TO as number | null },
) => Object.assign(new Window(span, 100, undefined), members);

describe('a window', () => {
  it('has the records left that were not read, and none behind its last page', () => {
    expect(windowOf().left).toBe(100);
    expect(windowOf({ read: 30 }).left).toBe(70);
    expect(windowOf({ read: 130 }).left).toBe(0);
    expect(windowOf({ read: 30, state: 'ended' }).left).toBe(0);
  });

  it('has its rest from the latest record on', () => {
    expect(windowOf().rest).toEqual({ from: FROM, to: TO });
    expect(windowOf({ latest: FROM + 5000 }).rest).toEqual({ from: FROM + 5000, to: TO });
  });

  it.each([
    ['before its first page', {}, true],
    ['behind a record', { read: 10, latest: FROM + 5000 }, true],
    ['behind a record whose time is unknown', { read: 10 }, false],
    ['two seconds before its end', { read: 10, latest: TO - 2000 }, true],
    ['in its last second', { read: 10, latest: TO - 1000 }, false],
    ['in its last second, which is not whole', { read: 10, latest: TO - 1 }, false],
  ])('can be cut at a whole second behind what was read: %s', (_, members, isCuttable) => {
    expect(windowOf(members).isCuttable).toBe(isCuttable);
  });

  it('can be cut where it has no beginning or no end', () => {
    expect(windowOf({}, { from: null, to: FROM }).isCuttable).toBe(true);
    expect(windowOf({ read: 10, latest: TO - 1 }, { from: FROM, to: null }).isCuttable).toBe(true);
  });

  it('begins at a whole second behind a time', () => {
    expect([-1, 0, 999, 1000].map(secondAfter)).toEqual([0, 1000, 1000, 2000]);
  });
});
