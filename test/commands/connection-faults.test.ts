import { createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { PASSWORD, REPOSITORY } from '../helpers/emulator.ts';
import { run } from '../helpers/run.ts';
import { temporaryDirectory } from '../helpers/temporary.ts';

const TIMEOUT_MS = 250;

/**
 * What a server does with each connection. `asked` resolves with what the client has sent first.
 */
type Behaviour = (socket: Socket, asked: Promise<string>) => void;

const after =
  (what: (socket: Socket) => void): Behaviour =>
  async (socket, asked) => {
    await asked;
    what(socket);
  };
const saying = (text: string, then: (socket: Socket) => void = () => undefined) =>
  after((socket) => {
    socket.write(text, 'latin1');
    then(socket);
  });
const close = (socket: Socket) => void socket.end();
const reset = (socket: Socket) => void socket.resetAndDestroy();
const silent = () => undefined;
const trickle = (socket: Socket) => {
  const timer = setInterval(() => socket.write(' '), 50);
  socket.once('close', () => clearInterval(timer));
};
const HEAD =
  'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nX-Credential-Username: demo.repo\r\nContent-Length: 1000\r\n\r\n';
const TUNNEL = 'HTTP/1.1 200 OK\r\n\r\n';
const GARBAGE = '\x00\x01garbage\r\n\r\n';

/** Where a connection fails: the step, how, and what the server there does. */
const FAULTS: readonly (readonly [
  step: 'TCP' | 'TLS' | 'CONNECT' | 'head' | 'body',
  how: string,
  Behaviour,
])[] = [
  ['TCP', 'closed', close],
  ['TCP', 'reset', reset],
  ['TLS', 'closed', after(close)],
  ['TLS', 'reset', after(reset)],
  ['TLS', 'silent', silent],
  ['TLS', 'garbage', saying(GARBAGE)],
  ['TLS', 'http', saying('HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n', close)],
  ['CONNECT', 'closed', close],
  ['CONNECT', 'reset', reset],
  ['CONNECT', 'silent', silent],
  ['CONNECT', 'closed when asked', after(close)],
  ['CONNECT', 'reset when asked', after(reset)],
  ['CONNECT', 'half a head', saying('HTTP/1.1 200 OK\r\nVia: ')],
  ['CONNECT', 'half a head, closed', saying('HTTP/1.1 200', close)],
  ['CONNECT', 'interim answers only', saying('HTTP/1.1 100 Continue\r\n\r\n')],
  ['CONNECT', 'an endless head', saying(`HTTP/1.1 200 OK\r\n${'X: y\r\n'.repeat(5000)}`)],
  ['CONNECT', 'garbage', saying(GARBAGE)],
  ['CONNECT', '407', saying('HTTP/1.1 407 Who\r\nContent-Length: 0\r\n\r\n')],
  ['CONNECT', '502', saying('HTTP/1.1 502 Bad\r\nContent-Length: 3\r\n\r\nbad', close)],
  ['CONNECT', 'a trickle', after(trickle)],
  ['CONNECT', 'a tunnel, closed', saying(TUNNEL, close)],
  ['CONNECT', 'a tunnel, reset', saying(TUNNEL, (socket) => void setTimeout(reset, 10, socket))],
  ['CONNECT', 'a tunnel, silent', saying(TUNNEL)],
  ['CONNECT', 'a tunnel to http', saying(`${TUNNEL}HTTP/1.1 400 Bad\r\n\r\n`)],
  ['head', 'closed', after(close)],
  ['head', 'reset', after(reset)],
  ['head', 'silent', silent],
  ['head', 'half', saying('HTTP/1.1 200 OK\r\nContent-Le')],
  ['head', 'half, closed', saying('HTTP/1.1 200 OK\r\nContent-Le', close)],
  [
    'head',
    'half, reset',
    saying('HTTP/1.1 200 OK\r\nContent-Le', (socket) => void setTimeout(reset, 10, socket)),
  ],
  ['head', 'garbage', saying(GARBAGE)],
  ['head', 'of TLS', saying('\x15\x03\x01\x00\x02\x02\x16', close)],
  ['body', 'missing', saying(HEAD)],
  ['body', 'cut', saying(`${HEAD}{"data":[`, close)],
  ['body', 'reset', saying(`${HEAD}{"data":[`, (socket) => void setTimeout(reset, 10, socket))],
  ['body', 'stopped', saying(`${HEAD}{"data":[`)],
  ['body', 'a trickle', saying(`${HEAD}{"data":[`, trickle)],
];

const RECORD = '{"doi":"10.5072/a","titles":[{"title":"A"}]}\n';
const COMMANDS: readonly (readonly [argv: string, stdin?: string])[] = [
  ['keys list'],
  ['keys create --name ci'],
  ['keys revoke 0b1c2d3e-0000-4000-8000-000000000001 --yes'],
  ['keys rotate 0b1c2d3e-0000-4000-8000-000000000001 --yes'],
  ['keys prune --name ci --keep 0b1c2d3e-0000-4000-8000-000000000001 --yes'],
  ['auth status'],
  ['dois list'],
  ['dois list --all'],
  ['dois list --all --jobs 1'],
  ['dois list --count'],
  ['dois get 10.5072/a'],
  ['dois get 10.5072/a --format bibtex'],
  ['dois check-links --mine --limit 2'],
  ['datafile credentials'],
  ['dois create --doi 10.5072/a --title A'],
  ['dois create --file -', RECORD + RECORD.replace('/a', '/b')],
  ['dois update 10.5072/a --set version=2'],
  ['dois delete 10.5072/a --yes'],
  ['dois publish 10.5072/a'],
  ['dois publish --file -', '10.5072/a\n10.5072/b\n'],
  ['dois stats'],
  ['dois harvest --dir DIR'],
  ['doctor'],
];

const EACH = COMMANDS.map(([argv, stdin]) => ({ argv, stdin }));

async function server(behaviour: Behaviour) {
  let connections = 0;
  const sockets = new Set<Socket>();
  const made = createServer((socket) => {
    connections += 1;
    sockets.add(socket.on('error', () => undefined));
    const asked = new Promise<string>((resolve) =>
      socket.once('data', (data) => resolve(data.toString('latin1'))),
    );
    behaviour(socket, asked);
  });
  await new Promise<void>((resolve) => void made.listen(0, '127.0.0.1', resolve));
  const { port } = made.address() as { port: number };
  const stop = () => {
    for (const socket of sockets) socket.destroy();
    made.close();
  };
  return { host: `127.0.0.1:${port}`, connections: () => connections, stop };
}

/** Runs one command against one fault. */
async function cell(
  step: string,
  behaviour: Behaviour,
  argv: string,
  stdin: string | undefined,
  retries = 0,
) {
  const { host, connections, stop } = await server(behaviour);
  const isProxy = step === 'CONNECT';
  const direct = `${step === 'TLS' ? 'https' : 'http'}://${host}`;
  const base = isProxy ? 'https://api.example.org' : direct;
  const env = {
    DOI_CLI_BASE_URL: base,
    DOI_CLI_REPOSITORY: REPOSITORY,
    DOI_CLI_PASSWORD: PASSWORD,
    ...(isProxy && { HTTPS_PROXY: `http://me:pr0xy-secret@${host}` }),
  };
  const words = argv
    .split(' ')
    .map((word) => (word === 'DIR' ? join(temporaryDirectory(), 'copy') : word));
  const limits = ['--timeout', `${TIMEOUT_MS}ms`, '--retries', String(retries)];
  const from = performance.now();
  try {
    const { code, stdout, stderr } = await run([...words, ...limits], {
      env,
      ...(stdin !== undefined && { stdin }),
    });
    const ms = performance.now() - from;
    return { code, stderr: stderr + stdout, ms, connections: connections(), host };
  } finally {
    stop();
  }
}

describe('a connection that fails', () => {
  it.each(EACH)('ends $argv in time, whatever fails', async ({ argv, stdin }) => {
    const run = ([step, how, behaviour]: (typeof FAULTS)[number]) =>
      cell(step, behaviour, argv, stdin).then((found) => ({ step, how, ...found }));
    const found = await Promise.all(FAULTS.map(run));
    const longest = found.toSorted((a, b) => b.ms - a.ms).slice(0, 3);
    const waits = longest.map(({ step, how, ms }) => `${step} ${how} ${(ms / 1000).toFixed(1)} s`);
    process.stdout.write(`${argv}: the longest waits are ${waits.join(', ')}\n`);
    for (const { step, how, code, stderr, ms, connections, host } of found) {
      const where = `${argv}: ${step} ${how}: ${stderr}`;
      expect(code, where).toBe(5);
      // A harvest asks for a count and a page, a create for the account, and pages may come in
      // smaller ones.
      expect(connections, where).toBeLessThanOrEqual(mostConnections(argv, step));
      // A time-out for each, and this machine may be busy.
      expect(ms, where).toBeLessThan(connections * TIMEOUT_MS + 60_000);
      expect(stderr, where).not.toMatch(
        /UND_ERR|OPENSSL|SSL routines|HPE_|undefined|\[object|pr0xy-secret/i,
      );
      const isOfHost = /a tunnel/.test(how);
      if (step === 'CONNECT' && !isOfHost) expect(stderr, where).toContain(`the proxy ${host}`);
    }
  });

  it('is tried again as often as --retries says', async () => {
    for (const [step, how, behaviour] of FAULTS) {
      if (!['closed when asked', 'interim answers only', 'half, reset', 'cut'].includes(how))
        continue;
      const { code, connections } = await cell(step, behaviour, 'keys list', undefined, 2);
      expect([code, connections, `${step} ${how}`]).toEqual([
        5,
        how === 'cut' ? 3 : connections,
        `${step} ${how}`,
      ]);
      expect(connections).toBeLessThanOrEqual(3);
      expect(connections).toBeGreaterThan(1);
    }
  });
});

/** How many connections a command makes at most: a page may be read again in smaller ones. */
function mostConnections(argv: string, step: string): number {
  if (/--all|harvest|links/.test(argv) || step === 'body') return 6;
  return /create/.test(argv) ? 3 : 2;
}
