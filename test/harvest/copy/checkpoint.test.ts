import { describe, expect, it } from 'vitest';
import { Checkpoints } from '../../../src/harvest/copy/checkpoint.ts';
import type { PartFile } from '../../../src/harvest/store/part-file.ts';
import { ledgerWindow } from '../store/samples.ts';

const at = (cursor: string, records: number) => ({
  cursor,
  restart: null,
  latest: 5,
  records,
  gaps: [],
});

/** Part files that only log their syncs, and a ledger that only logs what it would save. */
function books(...windows: ReturnType<typeof ledgerWindow>[]) {
  const events: string[] = [];
  const part = (name: string, bytes: number, sync: () => Promise<void> = async () => undefined) =>
    ({
      bytes,
      sync: async () => {
        await sync();
        events.push(`sync ${name}`);
        return bytes;
      },
    }) as unknown as PartFile;
  const checkpoints = new Checkpoints(async () => {
    const saved = windows.map(({ cursor, bytes, records }) => `${cursor}/${bytes}/${records}`);
    events.push(`save ${saved.join(' ')}`);
  });
  return { events, part, checkpoints };
}

describe('checkpoints', () => {
  it('count what was noted after it has been synced, and before the ledger is saved', async () => {
    const window = ledgerWindow();
    const { events, part, checkpoints } = books(window);
    const a = part('a', 100);
    checkpoints.note(window, a, at('two', 7));
    expect(window).toMatchObject({ cursor: null, bytes: 0, records: 0 });
    await checkpoints.take();
    expect(events).toEqual(['sync a', 'save two/100/7']);
    await checkpoints.take();
    expect(events.slice(2)).toEqual(['save two/100/7']);
  });

  it('do not count what was noted while they were syncing', async () => {
    const window = ledgerWindow();
    const { events, part, checkpoints } = books(window);
    const a = part('a', 100, async () => checkpoints.note(window, a, at('three', 9)));
    checkpoints.note(window, a, at('two', 7));
    await checkpoints.take();
    expect(events).toEqual(['sync a', 'save two/100/7']);
    await checkpoints.end(window);
    expect(window).toMatchObject({ cursor: 'three', records: 9 });
  });

  it('count the other windows when a part file fails, and say so', async () => {
    const [good, bad] = [ledgerWindow({ index: 0 }), ledgerWindow({ index: 1 })];
    const { events, part, checkpoints } = books(good, bad);
    const full = () => Promise.reject(new Error('the disk is full'));
    checkpoints.note(good, part('good', 10), at('two', 1));
    checkpoints.note(bad, part('bad', 20, full), at('two', 2));
    await expect(checkpoints.take()).rejects.toThrow('the disk is full');
    expect(events).toEqual(['sync good', 'save two/10/1 null/0/0']);
    // Later checkpoints do not count the broken one either.
    await expect(checkpoints.end(bad)).rejects.toThrow('the disk is full');
    await checkpoints.take();
    expect(events.at(-1)).toBe('save two/10/1 null/0/0');
  });

  it('that are asked for while one is being taken share the next', async () => {
    const window = ledgerWindow();
    const { events, part, checkpoints } = books(window);
    const a = part('a', 100);
    checkpoints.note(window, a, at('two', 7));
    const first = checkpoints.take();
    await Promise.resolve();
    await Promise.resolve();
    checkpoints.note(window, a, at('three', 8));
    await Promise.all([first, ...Array.from({ length: 20 }, () => checkpoints.take())]);
    expect(events.filter((event) => event.startsWith('save')).length).toBeLessThanOrEqual(2);
    expect(window.cursor).toBe('three');
  });
});
