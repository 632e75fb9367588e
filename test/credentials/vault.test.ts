import { describe, expect, it } from 'vitest';
import type { KeychainFailure } from '../../src/credentials/keychain.ts';
import { Vault } from '../../src/credentials/vault.ts';
import { changeSettings, readSettings, withProfile } from '../../src/settings/settings.ts';
import { MemoryKeychain } from '../helpers/memory-keychain.ts';
import { temporaryDirectory } from '../helpers/temporary.ts';

const BASE_URL = 'https://api.example.org';
const ID = { baseUrl: BASE_URL, kind: 'repository', account: 'Demo.Repo' } as const;
const IN_KEYCHAIN = { ...ID, place: 'keychain' } as const;
const IN_FILE = { ...ID, place: 'insecure-file' } as const;
const NAME = `${BASE_URL}|repository|demo.repo`;
const PROFILE = { repository: 'Demo.Repo' };

/** A vault with a keychain in memory and a folder of its own. */
function scene() {
  const env = { DOI_CLI_CONFIG_DIR: temporaryDirectory() };
  const keychain = new MemoryKeychain();
  const warnings: string[] = [];
  let opened = 0;
  const options = {
    env,
    signal: new AbortController().signal,
    note: () => undefined,
    warn: (text: string) => warnings.push(text),
    openKeychain: async () => {
      opened += 1;
      return keychain;
    },
  };
  const vault = new Vault(options);
  const save = (entry: typeof IN_KEYCHAIN | typeof IN_FILE, secret: string) =>
    vault.save(entry, secret, 'work', PROFILE);
  return {
    ...{ env, keychain, warnings, options, vault, save },
    opened: () => opened,
    settings: () => readSettings(env),
  };
}

describe('a stored secret', () => {
  it.each([IN_KEYCHAIN, IN_FILE])('is found again: $place', async (entry) => {
    const { vault, save, settings, opened } = scene();
    await save(entry, 's3cret');
    expect(await vault.list()).toEqual([entry]);
    expect(await vault.lookUp(entry)).toEqual({ secret: 's3cret', store: entry.place });
    expect((await settings()).profiles).toEqual({ work: PROFILE });
    expect(opened()).toBe(entry === IN_KEYCHAIN ? 1 : 0);
  });
  it('belongs to an account in any case, a base URL and a kind', async () => {
    const { vault, save } = scene();
    await save(IN_KEYCHAIN, 's3cret');
    expect(await vault.find({ ...ID, account: 'DEMO.REPO' })).toEqual(IN_KEYCHAIN);
    expect(await vault.find({ ...ID, baseUrl: 'https://other.example.org' })).toBeUndefined();
    expect(await vault.find({ ...ID, kind: 'api-key' })).toBeUndefined();
  });
  it('is listed in the settings before it is stored, and until it is erased', async () => {
    const { keychain, vault, save, settings } = scene();
    const listed: number[] = [];
    const look = async () => void listed.push((await settings()).stored.length);
    const { set, delete: erase } = keychain;
    keychain.set = async (...args) => {
      await look();
      return set.apply(keychain, args);
    };
    keychain.delete = async (...args) => {
      await look();
      return erase.apply(keychain, args);
    };
    await save(IN_KEYCHAIN, 's3cret');
    await vault.remove(IN_KEYCHAIN);
    expect([listed, (await settings()).stored]).toEqual([[1, 1], []]);
  });
  it('replaces the one of the same credential in the other store', async () => {
    const { keychain, vault, save } = scene();
    await save(IN_KEYCHAIN, 'old');
    await save(IN_FILE, 'new');
    expect([...keychain.secrets]).toEqual([]);
    expect(await vault.list()).toEqual([IN_FILE]);
    await save(IN_KEYCHAIN, 'newer');
    expect(await vault.lookUp(IN_FILE)).toBeUndefined();
    expect(await vault.lookUp(IN_KEYCHAIN)).toEqual({ secret: 'newer', store: 'keychain' });
  });
  it('is looked up in the older store if the newer one lacks it', async () => {
    const { keychain, vault } = scene();
    keychain.secrets.set(NAME, 'old');
    const entry = { ...IN_FILE, olderIn: 'keychain' } as const;
    expect(await vault.lookUp(entry)).toEqual({ secret: 'old', store: 'keychain' });
    expect(await vault.lookUp(IN_FILE)).toBeUndefined();
  });
});

describe('a secret that cannot be stored', () => {
  it.each<[KeychainFailure]>([['refused'], ['locked'], ['missing']])(
    'changes nothing: %s',
    async (failure) => {
      const { env, keychain, save, settings, options } = scene();
      await save(IN_KEYCHAIN, 'old');
      await changeSettings(options, (all) => withProfile(all, 'work', { mailto: 'a@example.org' }));
      const before = await readSettings(env);
      keychain.failing = { set: failure };
      await expect(save(IN_KEYCHAIN, 'new')).rejects.toMatchObject({ failure });
      expect(await settings()).toEqual(before);
      expect(keychain.secrets.get(NAME)).toBe('old');
    },
  );
  it('is erased again where the keychain did not answer', async () => {
    const { keychain, save, settings, opened } = scene();
    const { set } = keychain;
    keychain.set = async (...args) => {
      // It stores the secret all the same.
      await set.apply(keychain, args);
      keychain.failing = { set: 'hanging' };
      return set.apply(keychain, args);
    };
    await expect(save(IN_KEYCHAIN, 'new')).rejects.toMatchObject({ failure: 'hanging' });
    expect([...keychain.secrets]).toEqual([]);
    expect(await settings()).toEqual({ profiles: {}, stored: [] });
    expect(opened()).toBe(2);
  });
  it('stays in the settings while nobody knows whether it is stored', async () => {
    const { keychain, save, settings, warnings } = scene();
    keychain.failing = { set: 'hanging', delete: 'hanging' };
    await expect(save(IN_KEYCHAIN, 'new')).rejects.toMatchObject({ failure: 'hanging' });
    expect((await settings()).stored).toEqual([IN_KEYCHAIN]);
    expect(warnings).toEqual([/^it is unknown which secret is stored for/]);
  });
});

describe('the undo of a change', () => {
  it('restores the secret and the settings of this credential and profile alone', async () => {
    const { keychain, vault, save, settings, options } = scene();
    await save(IN_KEYCHAIN, 'old');
    const before = await settings();
    const undo = await vault.save(IN_KEYCHAIN, 'new', 'work', { repository: 'Other' });
    await changeSettings(options, (all) => withProfile(all, 'home', { prefix: '10.5072' }));
    await undo();
    expect(keychain.secrets.get(NAME)).toBe('old');
    expect(await settings()).toEqual({
      ...before,
      profiles: { ...before.profiles, home: { prefix: '10.5072' } },
    });
  });
  it('puts back what was in the file, and erases what was not stored before', async () => {
    const { keychain, vault, save } = scene();
    await save(IN_FILE, 'old');
    const undo = await save(IN_KEYCHAIN, 'new');
    expect(await vault.lookUp(IN_FILE)).toBeUndefined();
    await undo();
    expect([...keychain.secrets]).toEqual([]);
    expect(await vault.list()).toEqual([IN_FILE]);
    expect(await vault.lookUp(IN_FILE)).toEqual({ secret: 'old', store: 'insecure-file' });
  });
});

describe('an older secret that cannot be erased', () => {
  it('is a warning, and stays in the settings until it is erased', async () => {
    const { keychain, vault, save, settings, warnings } = scene();
    await save(IN_KEYCHAIN, 'old');
    keychain.failing = { delete: 'locked' };
    await save(IN_FILE, 'new');
    expect(warnings).toEqual([/may still be in the keychain: .*locked/]);
    const entry = { ...IN_FILE, olderIn: 'keychain' } as const;
    expect((await settings()).stored).toEqual([entry]);
    await expect(vault.remove(entry)).rejects.toMatchObject({ failure: 'locked' });
    expect((await settings()).stored).toEqual([IN_KEYCHAIN]);
    expect(await vault.lookUp(IN_FILE)).toBeUndefined();
    keychain.failing = {};
    await vault.remove(IN_KEYCHAIN);
    expect([(await settings()).stored, [...keychain.secrets]]).toEqual([[], []]);
  });
});

describe('the erasure of a credential', () => {
  it('also searches the file, whatever the settings list', async () => {
    const { vault, save, options } = scene();
    await save(IN_FILE, 'old');
    await changeSettings(options, (all) => ({ ...all, stored: [IN_KEYCHAIN] }));
    await vault.remove(IN_KEYCHAIN);
    expect(await vault.lookUp(IN_FILE)).toBeUndefined();
  });
  it('leaves other credentials alone', async () => {
    const { keychain, vault, save } = scene();
    await save(IN_KEYCHAIN, 'password');
    const key = { ...IN_KEYCHAIN, kind: 'api-key' } as const;
    await vault.save(key, 'DC.key', 'work', {});
    await vault.remove(IN_KEYCHAIN);
    expect(await vault.list()).toEqual([key]);
    expect([...keychain.secrets.values()]).toEqual(['DC.key']);
  });
});

it('a check asks the store that is meant', async () => {
  const { keychain, vault, opened } = scene();
  await vault.check('insecure-file');
  expect(opened()).toBe(0);
  await vault.check('keychain');
  expect(keychain.asked).toEqual(['check']);
  keychain.failing = { check: 'missing' };
  await expect(vault.check('keychain')).rejects.toMatchObject({ failure: 'missing' });
});
