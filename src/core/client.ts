/// <reference lib="esnext.disposable" preserve="true" />
import { setMaxListeners } from 'node:events';
import type { Service } from '../api/service.ts';
import { CliError, toCliError, usageError } from '../errors.ts';
import { Redactor } from '../text/redact.ts';
import { type ClientOptions, serviceOf } from './client-options.ts';
import { checkedOptions, inOwnWords } from './given.ts';

interface Inside {
  readonly service: Service;
  readonly closed: AbortController;
  /** The same client with an API key, which is masked from here on. */
  connect(apiKey: string): Service;
}

/** The inside of a client, which the functions of the library alone see. */
const insides = new WeakMap<object, Inside>();

/**
 * A connection to the service for the functions of this library, with one rate limit for all of
 * them.
 *
 * @example const client = new Client({ credentials: { apiKey: process.env.MY_KEY } });
 */
export class Client {
  /** @throws {DoiCliError} kind `usage` for an option that cannot be used. It sends nothing. */
  constructor(options: ClientOptions = {}) {
    const closed = new AbortController();
    setMaxListeners(0, closed.signal);
    const redactor = new Redactor();
    const service = serviceOf(options, closed.signal, redactor);
    const connect = (apiKey: string) =>
      serviceOf({ ...options, credentials: { apiKey } }, closed.signal, redactor);
    insides.set(this, { service, closed, connect });
  }

  /** The address of the service. */
  get baseUrl(): string {
    return insideOf(this).service.http.baseUrl.href;
  }

  /**
   * Closes the connections. Calls under way throw a DoiCliError of kind `interrupted`, later ones
   * one of kind `usage`.
   */
  async close(): Promise<void> {
    const { service, closed } = insideOf(this);
    closed.abort(new CliError('interrupted', 'the client was closed'));
    await service.http.close();
  }

  /** Closes the client at the end of a block: `await using client = new Client()`. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}

function insideOf(client: Client) {
  const inside = typeof client === 'object' && client !== null ? insides.get(client) : undefined;
  if (inside === undefined) throw usageError('the first argument is not a Client');
  return inside;
}

/** The service of a client for some work, which the client's end and the signals stop. */
function start(client: Client, signals: readonly AbortSignal[]) {
  const { service, closed, connect } = insideOf(client);
  if (closed.signal.aborted) throw usageError('the client is closed', 'make another one');
  for (const signal of signals) signal.throwIfAborted();
  const stop = new AbortController();
  // Each request under way listens, and several calls may share a signal of the caller: Node would
  // print a warning.
  setMaxListeners(0, stop.signal, ...signals);
  const sources = [closed.signal, ...signals];
  const onStop = () => stop.abort(new CliError('interrupted', 'stopped'));
  for (const source of sources) source.addEventListener('abort', onStop);
  return {
    service: { ...service, http: service.http.stoppedBy(stop.signal) },
    signal: stop.signal,
    connect,
    /** What to throw for an error. That of a write says what is known, also after a stop. */
    failure: (error: unknown, writes = false): unknown => {
      const source = sources.find(({ aborted }) => aborted);
      const isStop = !writes || causesOf(error).includes(stop.signal.reason);
      return source !== undefined && isStop
        ? source.reason
        : masked(inOwnWords(error), service.http.mask);
    },
    end: () => {
      for (const source of sources) source.removeEventListener('abort', onStop);
    },
  };
}

/**
 * An error in whose texts no secret is: one that has a secret is made anew, without its causes and
 * its stack.
 */
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

/** What every function of the library takes. */
export interface CallOptions {
  /**
   * Stops the call, which then throws the reason of the signal. Writes still wait for an answer
   * under way.
   */
  readonly signal?: AbortSignal | undefined;
}

type Run<T> = (service: Service, signal: AbortSignal, connect: Inside['connect']) => Promise<T>;

/**
 * Does some work with the service of a client. @throws the reason of a signal that stops it.
 * @internal
 */
export async function carryOut<T>(
  client: Client,
  options: CallOptions,
  run: Run<T>,
  writes = false,
): Promise<T> {
  const { signal } = checkedOptions(options, 'signal');
  const started = start(client, signal === undefined ? [] : [signal]);
  try {
    const result = await run(started.service, started.signal, started.connect);
    if (writes) started.service.caller.requireOwnWrites();
    return result;
  } catch (error) {
    throw started.failure(error, writes);
  } finally {
    started.end();
  }
}

/** Does some work that changes something, see {@link carryOut}. @internal */
export function carryOutWrite<T>(client: Client, options: CallOptions, run: Run<T>): Promise<T> {
  return carryOut(client, options, run, true);
}

/**
 * Yields what `items` yields, with the service of a client; it throws as {@link carryOut}.
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
