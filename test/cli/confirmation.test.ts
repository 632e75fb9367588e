import { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { confirmation } from '../../src/cli/confirmation.ts';
import type { Context } from '../../src/cli/context.ts';
import { bufferSink } from '../helpers/run.ts';

const ASKS = { yes: undefined, reason: 'revoking keys asks', declined: 'nothing was revoked' };

/** A run on a terminal where this is typed, or without one. */
function contextOf(typed: string | undefined) {
  const stderr = bufferSink();
  const context = {
    interactive: typed !== undefined,
    again: (words: readonly string[]) => `doi-cli … ${words.join(' ')}`,
    host: { stdin: Readable.from([typed ?? '']), stderr, signal: new AbortController().signal },
    messages: { flush: async () => undefined, clean: (text: string) => text },
  };
  return { context: context as unknown as Context, said: stderr.text };
}

describe('a confirmation', () => {
  it('needs --yes where nobody can be asked', async () => {
    const { context } = contextOf(undefined);
    const refused = {
      kind: 'usage',
      message: 'revoking keys asks, and there is no terminal to ask on',
      hint: 'doi-cli … --yes',
    };
    expect(() => confirmation(context, ASKS)).toThrow(expect.objectContaining(refused));
    await confirmation(context, { ...ASKS, yes: true })('Revoke this key?');
  });

  it('asks nothing with --yes', async () => {
    const { context, said } = contextOf('n\n');
    await confirmation(context, { ...ASKS, yes: true })('Revoke this key?');
    expect(said()).toBe('');
  });

  it.each([
    ['y\n', true],
    [' YES\n', true],
    ['n\n', false],
    ['yess\n', false],
    ['\n', false],
    ['', false],
  ])('takes %j for %s', async (typed, isYes) => {
    const { context, said } = contextOf(typed);
    const asked = confirmation(context, ASKS)('Revoke this key?');
    if (isYes) await asked;
    else await expect(asked).rejects.toMatchObject({ kind: 'rejected', message: ASKS.declined });
    expect(said()).toBe('Revoke this key? [y/N] ');
  });
});
