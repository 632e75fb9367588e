import { expect, it, vi } from 'vitest';
import type { Screen } from '../../src/ui/messages.ts';
import { Progress } from '../../src/ui/progress.ts';

async function linesOf(
  updates: readonly (readonly [done: number, total: number | undefined])[],
  ...names: readonly string[]
) {
  const lines: string[] = [];
  let now = 0;
  const screen = {
    host: { now: () => now, terminal: { stderr: false, columns: 0 } },
    options: {},
    messages: { status: (line: string) => lines.push(line) },
  } as unknown as Screen;
  const progress = await Progress.start(screen, false, ...names);
  for (const [done, total] of updates) {
    now += 60_000;
    progress.update(done, total);
  }
  return lines;
}

it('names no total that is less than what is done', async () => {
  const updates = [45, 194].map((done) => [done, 90] as const);
  const lines = ['45 of 90 DOIs · 60 s left', '194 of 194 DOIs · 0 s left · 2/s'];
  expect(await linesOf(updates)).toEqual(lines);
});

it('names the phase in which a file is read', async () => {
  const names = ['reading the records', 'record', 'reading: '];
  expect(await linesOf([[1353, undefined]], ...names)).toEqual([/^reading: 1,353 records\b/]);
});

it('cuts a line between two parts', async () => {
  const spinner = { text: '', start: () => spinner };
  vi.doMock('ora', () => ({ default: () => spinner }));
  const terminal = { stderr: true, columns: 40 };
  let now = 0;
  const host = { now: () => now, terminal };
  const progress = await Progress.start({ host, options: {}, messages: {} } as never, false);
  vi.doUnmock('ora');
  now = 4_600;
  progress.update(5621, 12_005);
  expect(spinner.text).toBe('5,621 of 12,005 DOIs · 5 s left');
});
