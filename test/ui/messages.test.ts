import { setTimeout } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { CliError } from '../../src/errors.ts';
import { Redactor } from '../../src/text/redact.ts';
import { Messages } from '../../src/ui/messages.ts';
import { wrapMessage } from '../../src/ui/width.ts';

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

it.each([
  [40, 'a short note', ['a short note']],
  [20, 'words that do not fit on a line', ['words that do not', 'fit on a line']],
  [
    30,
    'set it in the environment, or store it: doi-cli auth login --insecure-file',
    ['set it in the environment, or', 'store it:', 'doi-cli auth login --insecure-file'],
  ],
  [24, 'doi-cli dois list or doi-cli keys list', ['doi-cli dois list or', 'doi-cli keys list']],
  [
    20,
    "quote the value: --set 'titles[0].title=A better title'",
    ['quote the value:', "--set 'titles[0].title=A better title'"],
  ],
])('wraps between words, but never in a command: %i %s', async (columns, text, lines) => {
  const written: string[] = [];
  const sink = { write: async (...chunks: unknown[]) => void written.push(...chunks.map(String)) };
  const messages = new Messages(sink, new Redactor());
  messages.configure({ json: false, wrap: (line) => wrapMessage(line, columns) });
  messages.always(text);
  await messages.flush();
  expect(written.join('')).toBe(`${lines.join('\n')}\n`);
});
