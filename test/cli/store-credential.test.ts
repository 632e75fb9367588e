import { describe, expect, it } from 'vitest';
import type { Context } from '../../src/cli/context.ts';
import { storeCredential, warnOfEnvironment } from '../../src/cli/store-credential.ts';
import type { Profile } from '../../src/settings/settings.ts';

const HERE = 'http://127.0.0.1:9';
const CREDENTIAL = { kind: 'repository', account: 'A.B', secret: 'x', store: 'keychain' } as const;

/** A run with this profile, which records what it says and stores. */
function runOf(profile: Profile, options: object = {}, env: object = {}) {
  const said: string[] = [];
  const saved: unknown[][] = [];
  const context = {
    ...{ options, host: { env } },
    services: {
      profileName: 'work',
      baseUrl: async () => new URL(HERE),
      profile: async () => profile,
      vault: async () => ({ save: async (...stored: unknown[]) => void saved.push(stored) }),
    },
    suggest: (...words: readonly string[]) => words.join(' '),
    messages: {
      note: (text: string) => said.push(`note: ${text}`),
      warn: (text: string) => said.push(`warning: ${text}`),
    },
  };
  return { context: context as unknown as Context, said, saved };
}

describe('a credential that is stored', () => {
  const USUAL = 'https://api.datacite.org';
  it.each<[string, Profile, object, Profile, string[]]>([
    [
      'gives its account and its service to a new profile',
      {},
      { baseUrl: new URL(HERE), mailto: 'me@example.org' },
      {
        ...{ 'base-url': HERE, 'base-url-before-login': '' },
        ...{ repository: 'A.B', mailto: 'me@example.org' },
      },
      [`note: the profile work now uses ${HERE}, no longer ${USUAL}`],
    ],
    ['changes nothing of its own profile', { 'base-url': HERE, repository: 'a.b' }, {}, {}, []],
    [
      'says when the profile changes hands',
      { 'base-url': HERE, repository: 'DEMO.REPO' },
      {},
      { repository: 'A.B' },
      ['note: the profile work now belongs to A.B, no longer to DEMO.REPO'],
    ],
    [
      'warns of a service that only a variable names, and keeps the first one',
      { 'base-url': 'https://b.org', 'base-url-before-login': 'https://a.org', repository: 'A.B' },
      {},
      { 'base-url': HERE, 'base-url-before-login': 'https://a.org' },
      [
        `warning: the profile work now uses ${HERE}, no longer https://b.org, because` +
          ' DOI_CLI_BASE_URL is set; to change it back: config set base-url https://b.org',
      ],
    ],
  ])('%s', async (_, before, options, changes, messages) => {
    const { context, said, saved } = runOf(before, options);
    await storeCredential(context, CREDENTIAL);
    const entry = { baseUrl: HERE, kind: 'repository', account: 'A.B', place: 'keychain' };
    expect([saved, said]).toEqual([[[entry, 'x', 'work', changes]], messages]);
  });
});

describe('the environment', () => {
  it.each([
    [{ DOI_CLI_PASSWORD: 'x' }, [/^warning: DOI_CLI_PASSWORD is set .* instead of stored/]],
    [
      { DOI_CLI_PASSWORD: 'x', DOI_CLI_API_KEY: 'y', DOI_CLI_REPOSITORY: 'MY.REPO' },
      [/^warning: DOI_CLI_PASSWORD and DOI_CLI_API_KEY are set /],
    ],
    [
      { DOI_CLI_REPOSITORY: 'MY.REPO' },
      [/^warning: DOI_CLI_REPOSITORY is set .* to MY\.REPO: .* stored for A\.B are not used/],
    ],
    [{ DOI_CLI_REPOSITORY: 'a.b' }, []],
    [{}, []],
  ])('of %j is warned of where it hides what is stored', (env, messages) => {
    const { context, said } = runOf({}, {}, env);
    warnOfEnvironment(context, 'A.B');
    expect(said).toEqual(messages);
  });
});
