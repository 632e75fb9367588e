import { setTimeout } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { CliError } from '../../src/errors.ts';
import { Redactor } from '../../src/text/redact.ts';
import { Messages } from '../../src/ui/messages.ts';

it('writes one line after the other, however long each write takes', async () => {
  const written: string[] = [];
  const delays = [20, 0, 10, 0];
  const messages = new Messages(
    {
      async write(...chunks) {
        await setTimeout(delays.shift() ?? 0);
        written.push(...chunks.map(String));
      },
    },
    new Redactor(),
  );
  messages.note('a note');
  messages.report(new CliError('usage', 'a mistake', { hint: 'a way' }));
  messages.always('the end');
  await messages.flush();
  expect(written.join('')).toBe('a note\nerror: a mistake\nhint: a way\nthe end\n');
});
