import { beforeAll, describe, expect, it } from 'vitest';
import { emulate, PASSWORD, REPOSITORY } from '../helpers/emulator.ts';
import { lacks } from '../helpers/platform.ts';
import { sharedDirectory } from '../helpers/temporary.ts';
import { program } from './program.ts';
import { behindTls, makeCertificate, startProxy } from './tls.ts';

const LIST = ['keys', 'list', '--retries', '0', '--timeout', '5s', '--verbose'];
const ACCOUNT = { DOI_CLI_REPOSITORY: REPOSITORY, DOI_CLI_PASSWORD: PASSWORD };
const UNTRUSTED = { code: 5, stderr: /cannot be trusted/ };
const NO_TLS = lacks('openssl');
const REFUSED = /the proxy 127\.0\.0\.1:\d+ refused to connect \(HTTP 407\)/;
const files = sharedDirectory();
let certificate: ReturnType<typeof makeCertificate>;
beforeAll(() => {
  if (!NO_TLS) certificate = makeCertificate(files);
});

async function secure() {
  const emulator = await emulate();
  const { baseUrl, asked } = await behindTls(emulator.baseUrl, certificate);
  return { asked, env: { ...ACCOUNT, DOI_CLI_BASE_URL: baseUrl } };
}

describe.skipIf(NO_TLS)('certificates', () => {
  it.each([{}, { NODE_TLS_REJECT_UNAUTHORIZED: '0' }])(
    'are verified, also given %j',
    async (more) => {
      const { env, asked } = await secure();
      expect(await program(LIST, { env: { ...env, ...more } })).toMatchObject({
        code: 5,
        stderr: /certificate of the service cannot be trusted[\s\S]*NODE_EXTRA_CA_CERTS/,
      });
      expect(asked()).toBe(0);
    },
  );
  it('of an authority in NODE_EXTRA_CA_CERTS are trusted, for the right host', async () => {
    const { env, asked } = await secure();
    const trusting = { ...env, NODE_EXTRA_CA_CERTS: certificate.file };
    expect(await program(LIST, { env: trusting })).toMatchObject({ code: 0 });
    expect(asked()).toBe(1);
    const elsewhere = {
      ...trusting,
      DOI_CLI_BASE_URL: env.DOI_CLI_BASE_URL.replace('localhost', '127.0.0.1'),
    };
    expect(await program(LIST, { env: elsewhere })).toMatchObject(UNTRUSTED);
    expect(asked()).toBe(1);
  });
});

describe.skipIf(NO_TLS)('doctor', () => {
  type Finding = Record<'check' | 'status' | 'message' | 'hint', string>;
  const doctor = async (env: Record<string, string>) => {
    const { code, stdout } = await program(['doctor', '--format', 'json'], { env });
    const findings = JSON.parse(stdout) as readonly Finding[];
    return { code, findings, stdout };
  };

  it('names a certificate that is not trusted, and what to do, and sends nothing', async () => {
    const { env, asked } = await secure();
    for (const more of [{}, { NODE_TLS_REJECT_UNAUTHORIZED: '0' }]) {
      const { code, findings } = await doctor({ ...env, ...more });
      expect([code, findings.find(({ status }) => status === 'problem')]).toMatchObject([
        5,
        { check: 'service', message: /cannot be trusted/, hint: /NODE_EXTRA_CA_CERTS/ },
      ]);
    }
    expect(asked()).toBe(0);
  });
  it('goes through a proxy, to which it sends no secret of the service', async () => {
    const { env } = await secure();
    const { url, headers } = await startProxy();
    const trusting = { ...env, NODE_EXTRA_CA_CERTS: certificate.file };
    const direct = await doctor(trusting);
    expect(direct.code, direct.stdout).toBe(0);
    const { code, findings, stdout } = await doctor({
      ...trusting,
      HTTPS_PROXY: url.replace('//', '//me:pr0xy-secret@'),
    });
    expect([code, findings.find(({ check }) => check === 'proxy')?.message], stdout).toEqual([
      0,
      `${url}, from HTTPS_PROXY`,
    ]);
    expect(headers.join()).not.toContain(btoa(`${REPOSITORY}:${PASSWORD}`));
    expect(stdout).not.toContain('pr0xy-secret');
    const refused = await startProxy(407);
    const failed = await doctor({ ...trusting, HTTPS_PROXY: refused.url });
    const problem = failed.findings.find(({ status }) => status === 'problem');
    const message = expect.stringMatching(REFUSED);
    expect([failed.code, problem]).toMatchObject([5, { check: 'service', message }]);
  });
});

describe.skipIf(NO_TLS)('a proxy', () => {
  it('in HTTPS_PROXY is used, and sees neither credentials nor what is asked', async () => {
    const { env, asked } = await secure();
    const { url, connects, headers } = await startProxy();
    const proxied = {
      ...env,
      NODE_EXTRA_CA_CERTS: certificate.file,
      HTTPS_PROXY: url.replace('//', '//me:pr0xy-secret@'),
    };
    const { code, stderr } = await program(LIST, { env: proxied });
    expect([code, asked()], stderr).toEqual([0, 1]);
    expect(connects).toEqual([new URL(env.DOI_CLI_BASE_URL).host]);
    expect(headers.join()).toContain(btoa('me:pr0xy-secret'));
    expect(headers.join()).not.toContain(btoa(`${REPOSITORY}:${PASSWORD}`));
    expect(stderr).not.toContain('pr0xy-secret');
  });
  it('does not weaken the verification of certificates', async () => {
    const { env, asked } = await secure();
    const { url } = await startProxy();
    for (const more of [{}, { NODE_TLS_REJECT_UNAUTHORIZED: '0' }]) {
      const proxied = { ...env, ...more, HTTPS_PROXY: url };
      expect(await program(LIST, { env: proxied })).toMatchObject(UNTRUSTED);
    }
    expect(asked()).toBe(0);
  });
  it('is left out for the hosts in NO_PROXY and for plain http', async () => {
    const { env } = await secure();
    const { url, connects } = await startProxy();
    const trusting = {
      ...env,
      NODE_EXTRA_CA_CERTS: certificate.file,
      HTTPS_PROXY: url,
      HTTP_PROXY: url,
    };
    expect(await program(LIST, { env: { ...trusting, NO_PROXY: 'localhost' } })).toMatchObject({
      code: 0,
    });
    const { baseUrl } = await emulate();
    expect(await program(LIST, { env: { ...trusting, DOI_CLI_BASE_URL: baseUrl } })).toMatchObject({
      code: 0,
    });
    expect(connects).toEqual([]);
  });
  it('that refuses, or is not there, is named', async () => {
    const { env } = await secure();
    const { url } = await startProxy(407);
    expect(await program(LIST, { env: { ...env, HTTPS_PROXY: url } })).toMatchObject({
      code: 5,
      stderr: expect.stringMatching(REFUSED),
    });
    expect(
      await program(LIST, { env: { ...env, HTTPS_PROXY: 'http://me:pr0xy-secret@127.0.0.1:9' } }),
    ).toMatchObject({
      code: 5,
      stderr:
        /^(?!.*pr0xy).*the proxy 127\.0\.0\.1:9 cannot be used: [^\n]+ refused\n.*doi-cli doctor/s,
    });
  });
});
