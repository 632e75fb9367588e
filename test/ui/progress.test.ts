import { expect, it } from 'vitest';
import type { Screen } from '../../src/ui/messages.ts';
import { Progress } from '../../src/ui/progress.ts';

it('names no total that is less than what is done', async () => {
  const lines: string[] = [];
  let now = 0;
  const screen = {
    host: { now: () => now, terminal: { stderr: false, columns: 0 } },
    options: {},
    messages: { status: (line: string) => lines.push(line) },
  } as unknown as Screen;
  const progress = await Progress.start(screen, false);
  for (const done of [45, 194]) {
    now += 60_000;
    progress.update(done, 90);
  }
  expect(lines).toEqual(['45 of 90 DOIs · 60 s left', '194 of 194 DOIs · 0 s left · 2/s']);
});
