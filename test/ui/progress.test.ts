import { expect, it } from 'vitest';
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
  expect(await linesOf([[1353, undefined]], ...names)).toEqual([
    expect.stringMatching(/^reading: 1,353 records\b/),
  ]);
});
