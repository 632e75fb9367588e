import { describe, expect, it } from 'vitest';
import {
  type Available,
  findCredentials,
  fromEnvironment,
  missingSecretError,
  type Need,
  refuseBlank,
  repairOf,
  type SourcedCredentials,
  sourceText,
} from '../../src/credentials/resolve.ts';
import type { Vault } from '../../src/credentials/vault.ts';
import type { StoredCredential } from '../../src/settings/settings.ts';

const BASE_URL = 'https://api.example.org';
const ACCOUNT = { DOI_CLI_REPOSITORY: 'DEMO.REPO' };
const PASSWORD = { DOI_CLI_PASSWORD: 'pw' };
const KEY = { DOI_CLI_API_KEY: 'DC.key' };
const ENVIRONMENT = { source: 'environment' } as const;
const PASSWORD_OF_ENV = { kind: 'repository', id: 'DEMO.REPO', password: 'pw', ...ENVIRONMENT };
const KEY_OF_ENV = { kind: 'api-key', key: 'DC.key', ...ENVIRONMENT };

describe('the environment', () => {
  it.each([
    [{}, undefined, {}],
    [{}, 'P.REPO', { account: 'P.REPO' }],
    [{ ...ACCOUNT, ...PASSWORD }, 'P.REPO', { account: 'DEMO.REPO', repository: PASSWORD_OF_ENV }],
    [PASSWORD, 'DEMO.REPO', { account: 'DEMO.REPO', repository: PASSWORD_OF_ENV }],
    [KEY, 'P.REPO', { account: 'P.REPO', apiKey: KEY_OF_ENV }],
    [
      { ...KEY, ...ACCOUNT, ...PASSWORD },
      undefined,
      { account: 'DEMO.REPO', apiKey: KEY_OF_ENV, repository: PASSWORD_OF_ENV },
    ],
  ])('of %j with the account %s of the profile gives %j', (env, profile, expected) => {
    expect(fromEnvironment(env, profile)).toEqual({
      account: undefined,
      apiKey: undefined,
      ...expected,
    });
  });
  it.each([
    [ACCOUNT, /no password is set for the repository account DEMO\.REPO/],
    [PASSWORD, /DOI_CLI_PASSWORD is set, but no repository account is/],
  ])('of %j has half of a credential', (env, message) => {
    const { problem, repository } = fromEnvironment(env, undefined);
    expect(problem).toMatchObject({
      kind: 'credentials',
      message: message,
      hint: /^set DOI_CLI_REPOSITORY and DOI_CLI_PASSWORD/,
    });
    expect(repository).toBeUndefined();
  });
  it.each([
    [{ DOI_CLI_REPOSITORY: 'A:B', ...PASSWORD }, /account id cannot contain a colon/],
    [{ DOI_CLI_API_KEY: 'DC:key' }, /DOI_CLI_API_KEY is no API key/],
    [{ DOI_CLI_API_KEY: '$DOI_KEY' }, /DOI_CLI_API_KEY is no API key/],
    [{ DOI_CLI_API_KEY: 'bearer DC.key' }, /DOI_CLI_API_KEY is no API key/],
  ])('of %j cannot be sent', (env, message) => {
    expect(() => fromEnvironment(env, undefined)).toThrow(message);
  });
  it('must not have blank variables', () => {
    for (const name of ['DOI_CLI_API_KEY', 'DOI_CLI_PASSWORD', 'DOI_CLI_REPOSITORY']) {
      expect(() => refuseBlank({ [name]: ' \n' })).toThrow(`${name} is set, but empty`);
    }
    expect(() => refuseBlank({ ...ACCOUNT, OTHER: '' })).not.toThrow();
  });
});

/** Finds credentials with a vault of these secrets, and records what is asked and noted. */
async function find(
  need: Need,
  available: Available,
  secrets: Partial<Record<StoredCredential['kind'], string | null>> = {},
) {
  const notes: string[] = [];
  const asked: string[] = [];
  const vault = {
    find: async ({ baseUrl, kind, account }: StoredCredential) => {
      asked.push(`${kind} of ${account} for ${baseUrl}`);
      const entry = { baseUrl, kind, account: 'stored.repo', place: 'keychain' } as const;
      return secrets[kind] === undefined ? undefined : entry;
    },
    lookUp: async ({ kind }: StoredCredential) =>
      secrets[kind] ? { secret: secrets[kind], store: 'keychain' } : undefined,
  } as unknown as Vault;
  let opened = false;
  const result = await findCredentials(need, {
    available,
    vault: async () => {
      opened = true;
      return vault;
    },
    baseUrl: async () => BASE_URL,
    note: (text) => notes.push(text),
  }).catch((error: Error & { hint?: string }) => `${error.message} | ${error.hint}`);
  return { result, notes, asked, opened };
}

const withAccount: Available = { account: 'DEMO.REPO' };

describe('the credentials of a command', () => {
  const both = fromEnvironment({ ...KEY, ...ACCOUNT, ...PASSWORD }, undefined);
  it.each<[Need, SourcedCredentials]>([
    ['reads', KEY_OF_ENV as SourcedCredentials],
    ['writes', KEY_OF_ENV as SourcedCredentials],
    ['datafile', KEY_OF_ENV as SourcedCredentials],
    ['keys', PASSWORD_OF_ENV as SourcedCredentials],
  ])('for %s come from the environment, and open no store', async (need, expected) => {
    expect(await find(need, both, { repository: 'x', 'api-key': 'y' })).toMatchObject({
      result: expected,
      opened: false,
    });
  });
  it('come from the store, the API key first', async () => {
    const { result, asked } = await find('reads', withAccount, { repository: 'x', 'api-key': 'y' });
    expect(result).toEqual({ kind: 'api-key', key: 'y', account: 'DEMO.REPO', source: 'keychain' });
    expect(asked).toEqual([`api-key of DEMO.REPO for ${BASE_URL}`]);
  });
  it('for keys are only the password', async () => {
    const { result, asked } = await find('keys', withAccount, { repository: 'x', 'api-key': 'y' });
    expect(result).toEqual({
      kind: 'repository',
      id: 'DEMO.REPO',
      password: 'x',
      source: 'keychain',
    });
    expect(asked).toEqual([`repository of DEMO.REPO for ${BASE_URL}`]);
  });
  it('are the stored password where the API key is gone, with a note', async () => {
    const { result, notes } = await find('reads', withAccount, {
      repository: 'x',
      'api-key': null,
    });
    expect(result).toMatchObject({ kind: 'repository', password: 'x' });
    expect(notes).toEqual([
      'the keychain no longer has the API key of stored.repo, so its password is used;' +
        ' to store one: doi-cli auth login --repository stored.repo --api-key-stdin',
    ]);
  });
  it('are an error where every secret is gone, even for reads', async () => {
    const { result } = await find('reads', withAccount, { 'api-key': null, repository: null });
    expect(result).toMatch(/^the keychain no longer has the API key of stored\.repo/);
  });
  it('are none for reads without an account, or with nothing stored', async () => {
    expect(await find('reads', {})).toMatchObject({ result: undefined, opened: false });
    expect(await find('reads', withAccount)).toMatchObject({ result: undefined, opened: true });
  });
  it.each<[Need, Available, string]>([
    ['writes', {}, 'creating or changing DOIs needs credentials, and none are set | set DOI'],
    ['keys', {}, 'managing API keys needs repository credentials, and none are set | set DOI'],
    [
      'keys',
      fromEnvironment(KEY, undefined),
      'managing API keys needs repository credentials, which an API key cannot replace | set DOI',
    ],
    ['datafile', {}, 'the monthly data file needs credentials'],
  ])('are missing for %s with %j', async (need, available, message) => {
    expect((await find(need, available)).result).toContain(message);
  });
  it.each<Need>(['reads', 'writes', 'keys'])('are no half credential for %s', async (need) => {
    const { result } = await find(need, fromEnvironment(ACCOUNT, undefined));
    expect(result).toMatch(/^no password is set for the repository account DEMO\.REPO/);
  });
  it('may be half in the environment, next to a stored password or an API key', async () => {
    const half = fromEnvironment(ACCOUNT, undefined);
    expect((await find('reads', half, { repository: 'x' })).result).toMatchObject({
      password: 'x',
    });
    const next = fromEnvironment({ ...KEY, ...ACCOUNT }, undefined);
    expect((await find('reads', next)).result).toEqual(KEY_OF_ENV);
  });
});

describe('messages', () => {
  const stored = { kind: 'api-key', key: 'k', account: 'A.B' } as const;
  const suggest = (...words: readonly string[]) => words.join(' ');
  it.each<[SourcedCredentials, string | undefined, string | undefined]>([
    [
      PASSWORD_OF_ENV as SourcedCredentials,
      'DOI_CLI_PASSWORD',
      'correct DOI_CLI_REPOSITORY and DOI_CLI_PASSWORD',
    ],
    [
      KEY_OF_ENV as SourcedCredentials,
      'DOI_CLI_API_KEY',
      'set DOI_CLI_API_KEY to an active key, or unset it',
    ],
    [
      { ...stored, source: 'keychain' },
      'the keychain',
      'auth login --api-key-stdin --repository A.B',
    ],
    [
      { ...stored, source: 'insecure-file' },
      'the file of credentials',
      'auth login --api-key-stdin --repository A.B --insecure-file',
    ],
    [
      { kind: 'repository', id: 'A.B', password: 'x', source: 'insecure-file' },
      'the file of credentials',
      'auth login --repository A.B --insecure-file',
    ],
    [{ kind: 'repository', id: 'A.B', password: 'x', source: 'this-run' }, undefined, undefined],
  ])('of %j: its source and its repair', (credentials, source, repair) => {
    expect([sourceText(credentials), repairOf(credentials, suggest)]).toEqual([source, repair]);
  });
  it('of a password that is gone', () => {
    const entry = { baseUrl: BASE_URL, kind: 'repository', account: 'A.B', place: 'insecure-file' };
    expect(missingSecretError(entry as StoredCredential)).toMatchObject({
      message: 'the file of credentials no longer has the password of A.B',
      hint: 'doi-cli auth login --repository A.B',
    });
  });
});
