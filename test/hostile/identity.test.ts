import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { run } from '../helpers/run.ts';
import type { Answer } from '../helpers/server.ts';
import { temporaryDirectory } from '../helpers/temporary.ts';
import { hostileService, type Lie } from './service.ts';

type Headers = Record<string, string | string[]>;
const PASSWORD = { DOI_CLI_REPOSITORY: 'DEMO.REPO', DOI_CLI_PASSWORD: 'correct horse' };
const KEY = { DOI_CLI_API_KEY: `DC.${'k'.repeat(32)}` };
const NAMED = { 'x-credential-username': 'demo.repo' };
const anonymous = (value: string | string[]): Headers => ({
  ...NAMED,
  'x-anonymous-consumer': value,
});
const named = (value: string | string[]): Headers => ({ 'x-credential-username': value });

const BODIES: Readonly<Record<string, object>> = {
  '/dois/10.5072/r0001': {
    data: { id: '10.5072/r0001', type: 'dois', attributes: { state: 'findable' } },
  },
  '/credentials/api-keys': {
    data: [
      {
        id: 'k',
        type: 'apiKeys',
        attributes: { name: 'record', keyPrefix: 'DC.1', created: '2020' },
      },
    ],
  },
  '/credentials/datafile': {
    bucket: 'record',
    access_key_id: 'record',
    secret_access_key: 'record',
    session_token: 'record',
    expires_in: 3600,
  },
};

/** Honest answers to everything, but with these headers; `page` counts the answers with records. */
function headed(headersOf: (page: number) => Headers): Lie {
  return (reply, { exchange, page }) => {
    const path = decodeURIComponent(exchange.url.replace(/\?.*/, ''));
    reply.headers = headersOf(page) as Record<string, string>;
    const body = BODIES[path];
    if (body === undefined) return undefined;
    const text = exchange.headers.accept?.includes('json') ? JSON.stringify(body) : 'record';
    return (response) => {
      const type = text === 'record' ? 'text/plain' : 'application/vnd.api+json';
      response.writeHead(200, { 'content-type': type, ...reply.headers }).end(text);
    };
  };
}

const COMMANDS: readonly string[] = [
  'dois list --format table',
  'dois list --format csv',
  'dois list --all',
  'dois list --count',
  'dois list --mine',
  'dois list --all --out DIR/out.ndjson',
  'dois harvest --dir DIR',
  'dois harvest --dir DIR --plan',
  'dois get 10.5072/r0001',
  'dois get 10.5072/r0001 --format bibtex',
  'dois get 10.5072/r0001 --format datacite-xml',
  'keys list --format json',
  'keys audit',
  'datafile credentials --format json',
];

/** Bytes of records in a directory that a refused run has left. */
function recordsIn(dir: string): string {
  return readdirSync(dir, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.(nd)?json$|\.gz$/.test(entry.name))
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'utf8'))
    .filter((text) => text.includes('10.5072/r'))
    .join('');
}

async function runAgainst(lie: Lie, line: string, env: Record<string, string>) {
  const dir = temporaryDirectory();
  const service = await hostileService(lie);
  const argv = line.replaceAll('DIR', dir).split(' ');
  const result = await run(argv, { env: { ...service.env, ...env } });
  return { ...result, dir, asked: service.asked };
}

/** One refusal of each kind; api/http/caller.test.ts has every value of the headers. */
const REFUSED: readonly (readonly [string, Headers])[] = [
  ['neither header', {}],
  ['anonymous on two lines', anonymous(['false', 'true'])],
  ['another name', named('other.repo')],
];

describe.each(COMMANDS)('%s', (line) => {
  // Keys are managed with a password only.
  const withKey = !line.startsWith('keys');

  it('refuses every other caller', async () => {
    for (const [what, headers] of REFUSED) {
      // A key belongs to whatever account the first answer names.
      const isName = what === 'another name';
      for (const account of withKey && !isName ? [PASSWORD, KEY] : [PASSWORD]) {
        const lie = headed(() => headers);
        const { code, stdout, stderr, dir } = await runAgainst(lie, line, account);
        const found = { what, code, stdout, records: recordsIn(dir) };
        expect(found, stderr).toEqual({ what, code: 4, stdout: '', records: '' });
        expect(stderr).toMatch(/the service [^\n"]*the (credentials of DEMO\.REPO|API key)/);
        expect(stderr).toContain('DOI_CLI_');
      }
    }
  });

  it('accepts the name in any case', async () => {
    const spelled = headed(() => named('Demo.Repo'));
    const { code, stderr } = await runAgainst(spelled, line, PASSWORD);
    expect(code, stderr).toBe(0);
  });
});

describe('an account that was named', () => {
  const LATER: typeof REFUSED = [...REFUSED, ['anonymous', anonymous('true')]];
  it.each(LATER)('is named on every page: %s', async (_, headers) => {
    const lie = headed((page) => (page > 1 ? headers : NAMED));
    for (const env of [PASSWORD, KEY]) {
      const listed = await runAgainst(lie, 'dois list --all --page-size 100', env);
      expect([listed.code, listed.stdout.includes('r0101')]).toEqual([4, false]);
      const harvest = 'dois harvest --dir DIR --page-size 100 --jobs 1';
      const harvested = await runAgainst(lie, harvest, env);
      expect(harvested.code).toBe(4);
      expect(recordsIn(harvested.dir)).not.toContain('r0101');
    }
  });

  it('is named in the verification of a harvest', async () => {
    const dir = temporaryDirectory();
    let headers: Headers = NAMED;
    const { env } = await hostileService(headed(() => headers));
    const own = { env: { ...env, ...PASSWORD } };
    expect((await run(['dois', 'harvest', '--dir', dir], own)).code).toBe(0);
    for (const [what, wrong] of REFUSED) {
      headers = wrong;
      const { code, stderr } = await run(['dois', 'harvest', 'verify', '--dir', dir], own);
      expect([what, code], stderr).toEqual([what, 4]);
    }
  });

  it('is not needed where no credentials are sent', async () => {
    const nameless = headed(() => ({}));
    expect((await runAgainst(nameless, 'dois list --count', {})).stdout).toBe('250\n');
  });
});

describe('--probe-credentials', () => {
  const title = (text: string) => ({ errors: [{ status: '403', title: text }] });
  const FORBIDDEN = title('You are not authorized to access this resource.');
  const bare =
    (status: number, body: unknown, headers: Headers = {}): Answer =>
    (response) => {
      const isText = typeof body === 'string';
      response.writeHead(status, {
        'content-type': isText ? 'text/html' : 'application/json',
        ...headers,
      });
      response.end(isText ? body : JSON.stringify(body));
    };
  const stripped =
    (probe: Answer): Lie =>
    (reply, asked) => {
      reply.headers = {};
      return asked.exchange.url.startsWith('/credentials/api-keys') ? probe : undefined;
    };

  it.each([
    ['the list of keys', bare(200, { data: [] }), 0],
    ['the refusal of a key', bare(403, FORBIDDEN), 0],
    ['a 401', bare(401, title('Bad credentials.')), 4],
    ['a 404', bare(404, title('not found')), 4],
    ["a proxy's JSON", bare(403, { message: 'Forbidden' }), 4],
    ['an anonymous list', bare(200, { data: [] }, { 'x-anonymous-consumer': 'true' }), 4],
    ['the list of another account', bare(200, { data: [] }, named('other.repo')), 4],
    ['an empty name', bare(200, { data: [] }, named('')), 4],
    ['HTML', bare(200, '<html>log in</html>'), 5],
    ['throttling', bare(403, '<html>slow down</html>'), 5],
    ['a failure', bare(503, ''), 5],
  ])('settles with %s, once', async (_, probe, expected) => {
    const line = 'dois list --all --page-size 100 --probe-credentials --retries 1';
    const { code, stdout, stderr, asked } = await runAgainst(stripped(probe), line, PASSWORD);
    expect(code, stderr).toBe(expected);
    expect(stdout.split('\n').length - 1).toBe(expected === 0 ? 250 : 0);
    const probes = asked.filter(({ url }) => url.startsWith('/credentials/api-keys'));
    expect(probes.length > 1).toBe(expected === 5);
  });

  it('keeps to a name that one answer gives', async () => {
    const lie: Lie = (reply, asked) => {
      // The probe is the first request.
      if (asked.page > 2) return stripped(bare(200, { data: [] }))(reply, asked);
      return asked.exchange.url.startsWith('/credentials') ? bare(200, { data: [] }) : undefined;
    };
    const line = 'dois list --all --page-size 100 --probe-credentials';
    expect((await runAgainst(lie, line, PASSWORD)).code).toBe(4);
  });

  it('does not tell the account of an API key, and says so where that is needed', async () => {
    const lie = stripped(bare(403, FORBIDDEN));
    for (const line of ['dois list --mine', 'dois harvest --dir DIR']) {
      const { code, stderr } = await runAgainst(lie, `${line} --probe-credentials`, KEY);
      expect([code, stderr]).toEqual([4, /no answer names the account of the API key/]);
    }
    const { env } = await hostileService(lie);
    const options = { env: { ...env, ...KEY }, stdin: KEY.DOI_CLI_API_KEY };
    const asked = ['auth', 'status', '--probe-credentials', '--format', 'json'];
    const status = await run(asked, options);
    expect(JSON.parse(status.stdout)).toMatchObject([{ account: null, accepted: true }]);
    const argv = ['auth', 'login', '--api-key-stdin', '--insecure-file', '--probe-credentials'];
    const DOI_CLI_CONFIG_DIR = temporaryDirectory();
    const login = await run(argv, { ...options, env: { ...env, DOI_CLI_CONFIG_DIR } });
    expect([login.code, login.stderr]).toEqual([4, /is not stored/]);
  });

  it('is no request more without the option', async () => {
    const lie = stripped(bare(200, { data: [] }));
    const { asked } = await runAgainst(lie, 'dois list --all', PASSWORD);
    expect(asked).toHaveLength(1);
  });
});
