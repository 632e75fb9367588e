import { request } from 'node:http';
import { describe, expect, it } from 'vitest';
import { startEmulator } from '../../../src/emulator/index.ts';
import { basic, DEMO, type Service, serviceWith } from '../service.ts';

interface Logged {
  readonly number: number;
  readonly method: string;
  readonly path: string;
  readonly status: number | null;
  readonly durationMs: number | null;
  readonly account: string | null;
  readonly scheme: string | null;
  readonly authorization: string | null;
  readonly headerNames: string[];
  readonly fault: string | null;
}

async function log(service: Service, since = 0): Promise<Logged[]> {
  const reply = await service.get(`/_emulator/log?since=${since}`);
  return (JSON.parse(reply.text) as { requests: Logged[] }).requests;
}

async function statusWith(service: Service, path: string, headers: Record<string, string>) {
  return await new Promise<number | undefined>((resolve, reject) => {
    const options = { headers, method: 'POST', agent: false };
    const sent = request(service.baseUrl + path, options, (response) => {
      response.resume();
      resolve(response.statusCode);
    });
    sent.on('error', reject);
    sent.end('{}');
  });
}

const newKey = (service: Service) =>
  service.send('POST', '/credentials/api-keys', { data: { attributes: { name: 'x' } } }, DEMO);

describe('the control endpoint', () => {
  it('logs requests without secrets', async () => {
    const service = await serviceWith({ faults: ['502@3'] });
    const { text: made } = await newKey(service);
    const { key } = (JSON.parse(made) as { data: { attributes: { key: string } } }).data.attributes;
    await service.get('/dois?page[size]=0', basic(key, ''));
    await service.get('/dois', basic('DEMO.REPO', 'wrong'));
    await service.send('DELETE', `/credentials/api-keys/${key}`, undefined, DEMO);
    await service.get('/heartbeat');
    const entries = await log(service);
    expect(entries.map(({ method, path, status, fault }) => [method, path, status, fault])).toEqual(
      [
        ['POST', '/credentials/api-keys', 201, null],
        ['GET', '/dois?page[size]=0', 200, null],
        ['GET', '/dois', 502, '502@3'],
        ['DELETE', `/credentials/api-keys/${key.slice(0, 11)}…`, 404, null],
      ],
    );
    expect(entries.map(({ account, scheme }) => [account, scheme])).toEqual([
      ['demo.repo', 'basic'],
      ['demo.repo', 'api-key-as-username'],
      [null, 'refused'],
      ['demo.repo', 'basic'],
    ]);
    expect(entries[0]?.authorization).toMatch(/^sha256:[0-9a-f]{64}$/);
    expect(entries[0]?.authorization).toBe(entries[3]?.authorization);
    expect(entries[0]?.headerNames).toContain('authorization');
    const text = JSON.stringify(entries);
    for (const secret of [key, DEMO.slice(6), basic(key, '').slice(6)])
      expect(text).not.toContain(secret);
    expect((await log(service, 3)).map(({ number }) => number)).toEqual([4]);
  });

  it('reports the state of the emulator', async () => {
    const service = await serviceWith({ records: 700, seed: 9 });
    await service.send('POST', '/dois', { data: { attributes: { prefix: '10.5072' } } }, DEMO);
    const status = JSON.parse((await service.get('/_emulator/status')).text) as {
      states: Record<string, number>;
      records: number;
    };
    expect(status).toMatchObject({ seed: 9, records: 701, generated: 700, requests: 1 });
    expect(Object.values(status.states).reduce((sum, count) => sum + count, 0)).toBe(701);
  });

  it('resets keys, records, accounts, faults and their counters, clock and log', async () => {
    const service = await serviceWith({ faults: ['500@2'] });
    await newKey(service);
    expect((await service.get('/dois')).status).toBe(500);
    await service.control('faults', { faults: ['reset@9'] });
    for (const doi of ['10.5072/x', '10.5072/y'])
      await service.send('POST', '/dois', { data: { attributes: { doi } } }, DEMO);
    await service.send('DELETE', '/dois/10.5072/demo-0000002', undefined, DEMO);
    await service.control('accounts/demo.repo/password', { password: 'new' });
    await service.control('clock', { advanceMs: 1e9 });
    expect((await service.control('reset')).status).toBe(204);
    expect((await service.list('page[size]=0', DEMO)).meta.total).toBe(1000);
    expect((await service.get('/credentials/api-keys', DEMO)).status).toBe(500);
    expect((await service.get('/credentials/api-keys', DEMO)).text).toBe(
      '{"data":[],"meta":{"total":0}}',
    );
    expect(await log(service)).toHaveLength(3);
    const { time } = JSON.parse((await service.get('/_emulator/status')).text) as { time: string };
    expect(Math.abs(Date.parse(time) - Date.now())).toBeLessThan(60_000);
  });

  it('replaces the fault rules, and refuses wrong ones', async () => {
    const service = await serviceWith({ faults: ['500'] });
    expect((await service.control('faults', { faults: ['429'] })).status).toBe(200);
    expect((await service.get('/dois')).status).toBe(429);
    const refused = await service.control('faults', { faults: ['nonsense'] });
    expect([refused.status, refused.text.includes('unknown fault')]).toEqual([422, true]);
    expect((await service.control('faults', {})).status).toBe(422);
    expect((await service.get('/dois')).status).toBe(429);
    expect((await service.control('faults', { faults: [] })).status).toBe(200);
    expect((await service.get('/dois')).status).toBe(200);
  });

  it('manages accounts', async () => {
    const service = await serviceWith();
    const who = async (authorization: string) =>
      (await service.get('/dois?page[size]=0', authorization)).headers.get('x-credential-username');
    const added = await service.control('accounts', { id: 'New.Repo', password: 'pw' });
    expect([added.status, added.text.includes('pw')]).toEqual([201, false]);
    expect(await who(basic('new.repo', 'pw'))).toBe('new.repo');
    await service.control('accounts/new.repo/deactivate');
    expect(await who(basic('new.repo', 'pw'))).toBeNull();
    await service.control('accounts/new.repo/activate');
    expect(await who(basic('new.repo', 'pw'))).toBe('new.repo');
    expect((await service.send('DELETE', '/_emulator/accounts/NEW.REPO')).status).toBe(204);
    expect(await who(basic('new.repo', 'pw'))).toBeNull();
    expect((await service.send('DELETE', '/_emulator/accounts/NEW.REPO')).status).toBe(404);
    for (const wrong of [
      { id: 'DEMO.REPO', password: 'x' },
      { id: 'a b', password: 'x' },
      { id: 'A.B' },
      { id: 'A.B', password: '' },
    ]) {
      expect((await service.control('accounts', wrong)).status).toBe(422);
    }
    expect((await service.control('accounts/no.such/activate')).status).toBe(404);
  });

  it('moves the clock forwards only', async () => {
    const service = await serviceWith();
    expect((await service.control('clock', { advanceMs: 3_600_000 })).status).toBe(200);
    for (const advanceMs of [-1, 'soon', null, 1e15]) {
      expect((await service.control('clock', { advanceMs })).status).toBe(422);
    }
  });

  it('knows no other paths or verbs', async () => {
    const service = await serviceWith();
    expect((await service.get('/_emulator/nothing')).status).toBe(404);
    expect((await service.get('/_emulator/reset')).status).toBe(405);
    expect((await service.control('status')).status).toBe(405);
  });

  it('refuses web pages, and every request under a foreign name', async () => {
    const service = await serviceWith();
    expect(await statusWith(service, '/_emulator/reset', { origin: 'http://127.0.0.1:1' })).toBe(
      403,
    );
    for (const host of ['evil.example', '127.0.0.1.evil.example', 'localhost.evil.example:80']) {
      expect(await statusWith(service, '/_emulator/reset', { host }), host).toBe(403);
      expect(await statusWith(service, '/dois', { host }), host).toBe(403);
    }
    for (const host of ['localhost', 'LOCALHOST:1', '[::1]:2', '127.0.0.1']) {
      expect(await statusWith(service, '/_emulator/reset', { host }), host).toBe(204);
    }
  });
});

describe('limits', () => {
  it('answers what is over the rate with 429 until the window ends', async () => {
    const service = await serviceWith({ rateLimit: { requests: 2, windowMs: 90_500 } });
    const statuses = async () => [
      (await service.get('/dois')).status,
      (await service.get('/dois')).status,
    ];
    const begun = performance.now();
    expect(await statuses()).toEqual([200, 200]);
    const refused = await service.get('/dois');
    expect(refused.status).toBe(429);
    const mostLeft = Number(refused.headers.get('retry-after'));
    expect(mostLeft).toBeLessThanOrEqual(91);
    expect(mostLeft).toBeGreaterThanOrEqual(
      Math.ceil((90_500 - (performance.now() - begun)) / 1000),
    );
    expect(JSON.parse(refused.text)).toMatchObject({ errors: [{ status: '429' }] });
    expect((await service.get('/heartbeat')).status).toBe(200);
    await service.control('clock', { advanceMs: 90_500 });
    expect(await statuses()).toEqual([200, 200]);
  });

  it('adds latency to answers of the API only', async () => {
    const service = await serviceWith({ latencyMs: 300 });
    const started = performance.now();
    const ended: [path: string, ms: number][] = [];
    const get = async (path: string) => {
      await service.get(path);
      ended.push([path, performance.now() - started]);
    };
    await Promise.all([get('/dois?page[size]=0&disable-facets=true'), get('/_emulator/log')]);
    expect(ended.map(([path]) => path)).toEqual([
      '/_emulator/log',
      expect.stringContaining('/dois'),
    ]);
    expect(ended[1]?.[1]).toBeGreaterThan(290);
  });

  it('refuses a body that is too large', async () => {
    const service = await serviceWith();
    const status = await service.send('POST', '/dois', 'x'.repeat(21 * 1024 * 1024), DEMO).then(
      (reply) => reply.status,
      () => 'connection closed',
    );
    // The client sees the 413 only if it reads before it has sent the whole body.
    expect([413, 'connection closed']).toContain(status);
    expect((await service.get('/heartbeat')).status).toBe(200);
  });
});

describe('starting and stopping', () => {
  it('makes up a password for DEMO.REPO', async () => {
    const emulators = [await startEmulator({ records: 1 }), await startEmulator({ records: 1 })];
    const [one, two] = emulators.map(({ accounts }) => accounts[0]);
    for (const emulator of emulators) await emulator.close();
    expect(one?.id).toBe('DEMO.REPO');
    expect(one?.password.length).toBeGreaterThan(10);
    expect(one?.password).not.toBe(two?.password);
  });

  it('gives the demonstration records to the first repository account', async () => {
    const accounts = ['ACME', 'ACME.Lib'].map((id) => ({ id, password: 'y' }));
    const service = await serviceWith({ accounts });
    const query = 'client-id=acme.lib&page[size]=100';
    const { data } = await service.list(query, basic('acme.lib', 'y'));
    expect(new Set(data.map(({ attributes }) => attributes['state']))).toEqual(
      new Set(['findable', 'registered', 'draft']),
    );
  });

  it('says when the port is in use, and frees it when closed, twice over', async () => {
    const first = await startEmulator({ records: 1 });
    const port = Number(new URL(first.baseUrl).port);
    await expect(startEmulator({ port })).rejects.toThrow(`port ${port}: it is in use`);
    await first.close();
    await first.close();
    const second = await startEmulator({ port, records: 1 });
    await second.close();
  });

  it('ends stalled, slow and waiting requests when closed', async () => {
    const { parseFault } = await import('../../../src/emulator/state/faults.ts');
    const faults = ['stall@1', 'slow@2=60s'].map(parseFault);
    const emulator = await startEmulator({ latencyMs: 50, faults });
    const open = [1, 2, 3].map(async () => {
      // Without facets, whose first count takes its time.
      return await (await fetch(`${emulator.baseUrl}/dois?disable-facets=true`)).text();
    });
    const ended = Promise.allSettled(open);
    // The third to arrive is answered.
    await Promise.any(open);
    const started = performance.now();
    await emulator.close();
    // Requests may arrive in another order than they were sent in.
    const statuses = (await ended).map(({ status }) => status).sort();
    expect(statuses.join()).toBe('fulfilled,rejected,rejected');
    expect(performance.now() - started).toBeLessThan(30_000);
  });

  it.each([
    [{ records: -1 }, 'records'],
    [{ records: 1e12 }, 'records'],
    [{ records: 1.5 }, 'records'],
    [{ port: 70_000 }, 'port'],
    [{ seed: -1 }, 'seed'],
    [{ latencyMs: -1 }, 'latency'],
    [{ rateLimit: { requests: 0, windowMs: 1 } }, 'rate limit'],
    [{ rateLimit: { requests: 1, windowMs: 0 } }, 'rate limit'],
    [{ accounts: [{ id: 'a:b', password: 'x' }] }, 'no account id'],
    [{ accounts: [{ id: 'A.B', password: '' }] }, 'password'],
  ])('refuses %j', async (options, message) => {
    await expect(startEmulator(options)).rejects.toThrow(message);
  });
});
