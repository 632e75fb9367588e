import { describe, expect, it } from 'vitest';
import { against } from '../../helpers/against.ts';
import { emulate } from '../../helpers/emulator.ts';
import { answer } from '../../helpers/server.ts';

describe('datafile credentials', () => {
  it('prints what the service sends, for shells, and for the AWS CLI', async () => {
    const emulator = await emulate();
    const print = (...more: string[]) => emulator.run(['datafile', 'credentials', ...more]);
    const json = await print();
    expect(json).toMatchObject({ code: 0, stderr: '' });
    expect(JSON.parse(json.stdout)).toEqual({
      bucket: 'monthly-datafile.datacite.org',
      access_key_id: /^ASIA/,
      secret_access_key: expect.any(String),
      session_token: expect.any(String),
      expires_in: 3600,
    });
    const env = await print('--format', 'env');
    expect(env.stdout).toMatch(
      /^export AWS_ACCESS_KEY_ID='ASIA\w+'\nexport AWS_SECRET_ACCESS_KEY='[^'\n]+'\nexport AWS_SESSION_TOKEN='[^'\n]+'\nexport AWS_CREDENTIAL_EXPIRATION='[\dT:-]+Z'\n$/,
    );
    const aws = await print('--format', 'aws');
    const process = JSON.parse(aws.stdout) as Record<string, unknown>;
    expect(Object.keys(process)).toEqual(
      'Version AccessKeyId SecretAccessKey SessionToken Expiration'.split(' '),
    );
    expect(process['Version']).toBe(1);
    expect(Date.parse(String(process['Expiration'])) - Date.now()).toBeGreaterThan(3_590_000);
    const { key } = await emulator.newKey('data');
    const withKey = {
      DOI_CLI_REPOSITORY: undefined,
      DOI_CLI_PASSWORD: undefined,
      DOI_CLI_API_KEY: key,
    };
    expect((await emulator.run(['datafile', 'credentials'], { env: withKey })).code).toBe(0);
  });

  it('warns where the secret is on a screen', async () => {
    const emulator = await emulate();
    const { stderr } = await emulator.run(['datafile', 'credentials'], {
      terminal: { stdout: true },
    });
    expect(stderr).toBe('warning: this screen shows a secret, valid for 60 minutes\n');
  });

  it('says what is wrong with the credentials of the account, or with the answer', async () => {
    const emulator = await emulate();
    const get = ['datafile', 'credentials'];
    const none = await emulator.anonymous(get);
    expect([none.code, none.stderr]).toEqual([4, /the monthly data file needs/]);
    const wrong = await emulator.run(get, { env: { DOI_CLI_PASSWORD: 'wrong' } });
    expect([wrong.code, wrong.stderr]).toEqual([4, /Bad credentials/]);
    const body = {
      bucket: 'abc',
      access_key_id: 'a',
      secret_access_key: 'b',
      session_token: 'c',
      expires_in: 1,
    };
    const options = { env: { DOI_CLI_REPOSITORY: 'A.B', DOI_CLI_PASSWORD: 'x' } };
    for (const wrong of [{}, { ...body, bucket: '../x' }, { ...body, access_key_id: "a'\n" }]) {
      const made = await against([...get, '--retries', '0'], answer(200, wrong), options);
      expect(made.code).toBe(5);
    }
  });
});
