import { setMaxListeners } from 'node:events';
import type { Service } from '../api/service.ts';
import { CliError, toCliError, usageError } from '../errors.ts';
import { type ClientOptions, serviceOf } from './client-options.ts';

/** Some work that a client does for a caller. */
interface Work<T> {
  /** Stops it. */
  readonly signal: AbortSignal | undefined;
  /** Whether it changes something: its own errors then say what is known, also after a stop. */
  readonly writes?: boolean;
  readonly run: (service: Service, signal: AbortSignal) => Promise<T>;
}

interface Started {
  readonly service: Service;
  readonly signal: AbortSignal;
  /** What to throw for an error of this work. */
  failure(error: unknown, writes?: boolean): unknown;
  end(): void;
}

// The functions of the library alone see the inside of a client.
let start: (client: Client, signals: readonly AbortSignal[]) => Started;

/**
 * A connection to the service for the functions of this library, with one rate limit for all of them.
 *
 * @example
 * const client = new Client({ credentials: { apiKey: process.env.MY_KEY } });
 */
export class Client {
  readonly #service: Service;
  readonly #closed = new AbortController();

  /** @throws {DoiCliError} kind `usage` for an option that cannot be used. It sends nothing. */
  constructor(options: ClientOptions = {}) {
    this.#service = serviceOf(options, this.#closed.signal);
    setMaxListeners(0, this.#closed.signal);
  }

  /** The address of the service. */
  get baseUrl(): string {
    return this.#service.http.baseUrl.href;
  }

  /** Stops everything that the client still does, and closes its connections. */
  async close(): Promise<void> {
    this.#closed.abort(new CliError('interrupted', 'the client was closed'));
    await this.#service.http.close();
  }

  static {
    start = (client, signals) => {
      if (typeof client !== 'object' || client === null || !(#service in client)) {
        throw usageError('the first argument is not a Client');
      }
      const service = client.#service;
      const closed = client.#closed.signal;
      if (closed.aborted) throw usageError('the client is closed', 'make another one');
      for (const signal of signals) signal.throwIfAborted();
      const stop = new AbortController();
      // Each request under way listens to it.
      // Several calls may share a signal of the caller: Node would print a warning.
      setMaxListeners(0, stop.signal, ...signals);
      const sources = [closed, ...signals];
      const onStop = () => stop.abort(new CliError('interrupted', 'stopped'));
      for (const source of sources) source.addEventListener('abort', onStop);
      return {
        service: { ...service, http: service.http.stoppedBy(stop.signal) },
        signal: stop.signal,
        failure: (error, writes = false) => {
          const source = sources.find(({ aborted }) => aborted);
          const isStop = !writes || causesOf(error).includes(stop.signal.reason);
          return source !== undefined && isStop ? source.reason : masked(error, service.http.mask);
        },
        end: () => {
          for (const source of sources) source.removeEventListener('abort', onStop);
        },
      };
    };
  }
}

/** An error in whose texts no secret is: one that has a secret is made anew, without its causes and its stack. */
function masked(error: unknown, mask: (text: string) => string): unknown {
  const isClean = (text = '') => mask(text) === text;
  const { kind, message, hint, status, problems } = toCliError(error);
  const details = problems.flatMap(({ path, message: text }) => [path ?? '', text]);
  const texts = [hint, ...details, ...causesOf(error).map(String)];
  if (texts.every(isClean)) return error;
  return new CliError(kind, mask(message), {
    hint: hint && mask(hint),
    status,
    problems: problems.map((problem) => ({
      ...problem,
      path: problem.path && mask(problem.path),
      message: mask(problem.message),
    })),
  });
}

/** An error and the errors that caused it. Those of a caller's function may go in a circle. */
function causesOf(error: unknown): unknown[] {
  const causes: unknown[] = [];
  let at = error;
  while (at !== undefined && !causes.includes(at)) {
    causes.push(at);
    at = at instanceof Error ? at.cause : undefined;
  }
  return causes;
}

/**
 * Does some work with the service of a client.
 * @throws the reason of the signal when it stops the work; else what the work throws.
 * @internal
 */
export async function carryOut<T>(client: Client, { signal, writes, run }: Work<T>): Promise<T> {
  const started = start(client, signal === undefined ? [] : [signal]);
  try {
    const result = await run(started.service, started.signal);
    if (writes) started.service.caller.requireOwnWrites();
    return result;
  } catch (error) {
    throw started.failure(error, writes);
  } finally {
    started.end();
  }
}

/**
 * Yields what `items` yields, with the service of a client. It throws as {@link carryOut} does.
 * @internal
 */
export async function* yieldAll<T>(
  client: Client,
  signals: readonly AbortSignal[],
  items: (service: Service) => AsyncIterable<T>,
): AsyncGenerator<T, void, undefined> {
  const started = start(client, signals);
  try {
    yield* items(started.service);
  } catch (error) {
    throw started.failure(error);
  } finally {
    started.end();
  }
}
