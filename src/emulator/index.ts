import { randomBytes } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Corpus, MAX_RECORDS } from './records/corpus.ts';
import { serve } from './server/server.ts';
import { createService } from './server/service.ts';
import type { FaultRule } from './state/faults.ts';
import type { RateLimitOptions } from './state/rate-limit.ts';

/** Parses a fault. @throws Error with an explanation for an invalid one. */
export { parseFault } from './state/faults.ts';

/** How an emulator starts; everything has a default. */
export interface EmulatorOptions {
  /** 0, the default, takes a free port. */
  readonly port?: number;
  /** Generated DOI records, default 1000. */
  readonly records?: number;
  /** The seed of the records and of random faults, default 1. */
  readonly seed?: number;
  /**
   * Ids with a dot are repository accounts, others members. The first repository account owns the
   * demonstration records. Default: DEMO.REPO with a random password.
   */
  readonly accounts?: readonly EmulatorAccount[];
  /** Milliseconds added before each answer, except those of the control endpoint. */
  readonly latencyMs?: number;
  /** Requests per client address and window. */
  readonly rateLimit?: RateLimitOptions;
  readonly faults?: readonly FaultRule[];
  /**
   * When affiliations and publishers become objects by default, in milliseconds since 1970 on the
   * emulator's clock; never without it.
   */
  readonly objectsFrom?: number | undefined;
}

/** An account's id and password. */
interface EmulatorAccount {
  readonly id: string;
  readonly password: string;
}

/** A running emulator. */
export interface Emulator {
  /** `http://127.0.0.1:<port>` */
  readonly baseUrl: string;
  readonly accounts: readonly EmulatorAccount[];
  /** Ends open connections at once. */
  close(): Promise<void>;
}

const DEFAULT_RECORDS = 1000;
const DEFAULT_OWNER = 'DEMO.REPO';
const HOST = '127.0.0.1';

/**
 * Starts the DataCite service on a loopback address.
 *
 * @throws Error with a message for people when an option is out of range or the port is taken
 */
export async function startEmulator(options: EmulatorOptions = {}): Promise<Emulator> {
  const {
    port = 0,
    records = DEFAULT_RECORDS,
    seed = 1,
    latencyMs = 0,
    rateLimit,
    faults = [],
    objectsFrom,
  } = options;
  checkWhole('port', port, 0, 65_535);
  checkWhole('records', records, 0, MAX_RECORDS);
  checkWhole('seed', seed, 0, 0xffff_ffff);
  if (!(latencyMs >= 0 && latencyMs < 2 ** 31))
    throw new Error('the latency must be from 0 to 2147483647 ms');
  if (rateLimit !== undefined) {
    checkWhole('requests of the rate limit', rateLimit.requests, 1, Number.MAX_SAFE_INTEGER);
    if (!(rateLimit.windowMs > 0))
      throw new Error('the window of the rate limit must be above 0 ms');
  }
  const accounts = options.accounts?.length
    ? [...options.accounts]
    : [{ id: DEFAULT_OWNER, password: randomBytes(12).toString('base64url') }];
  const owner = accounts.find(({ id }) => id.includes('.'))?.id ?? DEFAULT_OWNER;
  const corpus = new Corpus(seed, records, owner.toLowerCase());
  const service = createService(corpus, { accounts, faults, rateLimit, objectsFrom }, latencyMs);

  const server = createServer((request, response) => void serve(service, request, response));
  // Test clients keep connections longer than the 5 seconds after which Node would close them.
  server.keepAliveTimeout = 60_000;
  await listen(server, port);
  const { port: bound } = server.address() as AddressInfo;
  const baseUrl = `http://${HOST}:${bound}`;
  return { baseUrl, accounts, close: () => close(server) };
}

async function listen(server: Server, port: number): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      const reason = error.code === 'EADDRINUSE' ? 'it is in use' : error.message;
      reject(new Error(`cannot listen on ${HOST} port ${port}: ${reason}`, { cause: error }));
    });
    server.listen(port, HOST, resolve);
  });
}

async function close(server: Server): Promise<void> {
  await new Promise<void>((resolve) => {
    // Closing twice is harmless: the second error only means that the server is already closed.
    server.close(() => resolve());
    server.closeAllConnections();
  });
}

function checkWhole(name: string, value: number, least: number, most: number): void {
  if (Number.isInteger(value) && value >= least && value <= most) return;
  throw new Error(`the ${name} must be a whole number from ${least} to ${most}`);
}
