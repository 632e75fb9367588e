import { describe, expect, it } from 'vitest';
import type { ApiKey } from '../../../src/api/keys.ts';
import type { Context } from '../../../src/cli/context.ts';
import { matchKey } from '../../../src/commands/keys/reference.ts';

const created = '2026-01-01T00:00:00Z';

function key(id: string, name: string, revokedAt: string | null = null): ApiKey {
  const times = { created, updated: created, lastUsedAt: null, revokedAt };
  return { id, type: 'apiKeys', attributes: { name, keyPrefix: `DC.${id}`, ...times } };
}

const KEYS = [
  key('one', 'a'),
  key('two', 'ci', created),
  key('three', 'ci'),
  key('four', 'twin'),
  key('five', 'twin'),
  key('six', 'gone', created),
  key('seven', 'one'),
];

function match(reference: string): ApiKey {
  const context = {
    suggest: (...words: readonly string[]) => words.join(' '),
    host: { terminal: { stderr: false, columns: 0 }, now: Date.now },
  };
  return matchKey(context as unknown as Context, KEYS, reference, 'revoke');
}

describe('a key on the command line', () => {
  it.each([
    ['by its id, though another has this name', 'one', 'one'],
    ['by its prefix', 'DC.four', 'four'],
    ['by its name', 'a', 'one'],
    ['by the name of one that is active', 'ci', 'three'],
    ['by a name that only a revoked one has', 'gone', 'six'],
  ])('is found %s', (_, reference, id) => {
    expect(match(reference).id).toBe(id);
  });

  it.each(['nope', 'A', 'DC.fou', 'twi'])('is none with another text: %s', (reference) => {
    expect(() => match(reference)).toThrow(
      `no key has the id, the prefix or the name '${reference}'`,
    );
  });

  it('is not guessed from the name of several', () => {
    const refused = {
      kind: 'usage',
      message: "'twin' means 2 active keys",
      // No command to copy: the newest key is probably the one in use.
      hint: 'keys revoke <prefix>, with the prefix of the right key',
      lines: [
        expect.stringMatching(/^PREFIX +NAME +CREATED +LAST USED +ID$/),
        expect.stringContaining('  four'),
        expect.stringContaining('  five'),
      ],
    };
    expect(() => match('twin')).toThrow(expect.objectContaining(refused));
  });
});
