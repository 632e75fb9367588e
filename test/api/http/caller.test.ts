import { describe, expect, it, vi } from 'vitest';
import { Caller } from '../../../src/api/http/caller.ts';
import type { WireResponse } from '../../../src/api/http/transport.ts';
import { CliError } from '../../../src/errors.ts';

const SENT = { what: 'the credentials', secret: 's3cret', account: 'DEMO.REPO' } as const;
const KEY = { what: 'the API key', secret: 'DC.Secret', account: undefined } as const;
const READ = { method: 'GET' } as const;
const WRITE = { method: 'PUT' } as const;

function responseWith(headers: Readonly<Record<string, string>>) {
  const discard = vi.fn();
  return {
    status: 200,
    header: (name: string) => headers[name],
    discard,
  } as unknown as WireResponse;
}
const named = (name: string) => responseWith({ 'x-credential-username': name });
const NAMELESS = () => responseWith({});

describe('the answer to a read', () => {
  it.each([
    ['names the account', 'demo.repo'],
    ['spells it otherwise', 'Demo.Repo'],
    ['names it on two lines', 'demo.repo, DEMO.REPO'],
  ])('is accepted when it %s', (_, name) => {
    const caller = new Caller(SENT);
    expect([caller.account, caller.named]).toEqual(['demo.repo', undefined]);
    caller.check(named(name), READ);
    expect(caller.named).toBe('demo.repo');
  });
  it.each([
    ['names nobody', {}, /its response does not identify the account$/],
    ['is anonymous', { 'x-anonymous-consumer': 'true' }, /answered as if it were anonymous$/],
    [
      'is anonymous, whatever it names',
      { 'x-anonymous-consumer': 'false, TRUE', 'x-credential-username': 'demo.repo' },
      /answered as if it were anonymous$/,
    ],
    ['names two accounts', { 'x-credential-username': 'demo.repo,b.b' }, /several accounts/],
    ['names an empty account', { 'x-credential-username': '' }, /several accounts, or an empty/],
    [
      'names another account, as the service spells it',
      { 'x-credential-username': 'Other.Repo' },
      /took the credentials for the account Other\.Repo, not demo\.repo$/,
    ],
  ])('is refused and discarded when it %s', (_, headers, message) => {
    const response = responseWith(headers);
    const check = () => new Caller(SENT).check(response, READ);
    expect(check).toThrow(message);
    expect(check).toThrow(expect.objectContaining({ kind: 'credentials' }));
    expect(response.discard).toHaveBeenCalled();
  });
  it.each(
    'true|TRUE| true |true, true|1|yes||false, true|true,false|false, |falsch|false\u00a0'.split(
      '|',
    ),
  )('is refused with %j as the header of anonymous readers', (value) => {
    const headers = { 'x-anonymous-consumer': value, 'x-credential-username': 'demo.repo' };
    expect(() => new Caller(SENT).check(responseWith(headers), READ)).toThrow(/anonymous/);
  });
  it.each(['   ', ',', 'demo.repo,', 'demo.repo\u00a0'])('is refused with the name %j', (name) => {
    expect(() => new Caller(SENT).check(named(name), READ)).toThrow(CliError);
  });
  it.each(['false', 'False, FALSE '])('is accepted when %j denies an anonymous reader', (value) => {
    const headers = { 'x-anonymous-consumer': value, 'x-credential-username': 'demo.repo' };
    expect(() => new Caller(SENT).check(responseWith(headers), READ)).not.toThrow();
  });
  it('is not checked without credentials', () => {
    const anonymous = new Caller(undefined);
    anonymous.check(responseWith({ 'x-anonymous-consumer': 'true' }), READ);
    expect([anonymous.what, anonymous.account]).toEqual([undefined, undefined]);
  });
  it('has the repair of the credentials as its hint', () => {
    const repair = 'log in again';
    expect(() => new Caller({ ...SENT, repair }).check(NAMELESS(), READ)).toThrow(
      expect.objectContaining({ hint: repair }),
    );
  });
});

describe('an API key of an unknown account', () => {
  it('belongs to the account that the first answer names', () => {
    const caller = new Caller(KEY);
    caller.check(named('Demo.Repo'), READ);
    expect([caller.account, caller.named]).toEqual(['demo.repo', 'demo.repo']);
    expect(() => caller.check(named('other.repo'), READ)).toThrow(/other\.repo, not demo\.repo/);
  });
  it.each(['a:b', 'a b', 'x'.repeat(101), 'a\u0085b', 'my dc.secret', 'dc.secret'])(
    'does not belong to %j',
    (name) => {
      const caller = new Caller(KEY);
      expect(() => caller.check(named(name), READ)).toThrow(/something that is not an account/);
      expect(caller.account).toBeUndefined();
    },
  );
});

describe('the probe', () => {
  it('runs once, before the first request', async () => {
    const probe = vi.fn(async () => undefined);
    const caller = new Caller(SENT, { probe });
    expect(probe).not.toHaveBeenCalled();
    await Promise.all([caller.ready(), caller.ready()]);
    expect(probe).toHaveBeenCalledTimes(1);
  });
  it('allows answers without a name, until one has a name', async () => {
    const caller = new Caller(SENT, { probe: async () => undefined });
    await caller.ready();
    caller.check(NAMELESS(), READ);
    caller.check(named('demo.repo'), READ);
    expect(() => caller.check(NAMELESS(), READ)).toThrow(/does not identify the account/);
  });
  it('needs no name in its own answer', () => {
    expect(() => new Caller(SENT).check(NAMELESS(), { ...READ, isProbe: true })).not.toThrow();
  });
  it('stops every request when it fails', async () => {
    const refused = new CliError('credentials', 'refused');
    const caller = new Caller(SENT, {
      probe: async () => {
        throw refused;
      },
    });
    await expect(caller.ready()).rejects.toBe(refused);
    await expect(caller.ready()).rejects.toBe(refused);
  });
  it('is not run without credentials', async () => {
    const probe = vi.fn(async () => undefined);
    await new Caller(undefined, { probe }).ready();
    expect(probe).not.toHaveBeenCalled();
  });
});

describe('the answer to a write', () => {
  it('need not name the account', () => {
    const onForeignWrite = vi.fn();
    const caller = new Caller(SENT, { onForeignWrite });
    caller.check(NAMELESS(), WRITE);
    caller.requireOwnWrites();
    expect(onForeignWrite).not.toHaveBeenCalled();
  });
  it('of another account is reported, and stops all later requests', async () => {
    const onForeignWrite = vi.fn();
    const caller = new Caller(SENT, { onForeignWrite });
    const response = named('other.repo');
    caller.check(response, WRITE);
    caller.check(named('third.repo'), { method: 'DELETE' });
    expect(response.discard).not.toHaveBeenCalled();
    const message = expect.stringMatching(/other\.repo, not demo\.repo, and carried out a PUT$/);
    const foreign = expect.objectContaining({ kind: 'credentials', message });
    expect(onForeignWrite).toHaveBeenCalledWith(foreign);
    expect(() => caller.requireOwnWrites()).toThrow(foreign);
    await expect(caller.ready()).rejects.toEqual(foreign);
  });
});
