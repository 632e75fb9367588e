/// <reference lib="esnext.disposable" preserve="true" />
import { setMaxListeners } from 'node:events';
import type { SentRequest } from '../api/http/sent-request.ts';
import type { Service } from '../api/service.ts';
import { CliError, toCliError, usageError } from '../errors.ts';
import { Redactor } from '../text/redact.ts';
import { type ClientOptions, serviceOf } from './client-options.ts';

interface Inside {
  readonly service: Service;
  readonly onRequest: ClientOptions['onRequest'];
  readonly closed: AbortController;
}

/** The internals of clients, which only the functions of this library can reach. */
const insides = new WeakMap<object, Inside>();

/**
 * A connection to the service for the functions of this library, which share its rate limit.
 *
 * @example const client = new Client({ credentials: { apiKey: process.env.MY_KEY } });
 */
export class Client {
  /** @throws {DoiCliError} kind `usage` for an option that cannot be used. It sends nothing. */
  constructor(options: ClientOptions = {}) {
    const closed = new AbortController();
    setMaxListeners(0, closed.signal);
    const service = serviceOf(options, closed.signal, new Redactor());
    insides.set(this, { service, onRequest: options.onRequest, closed });
  }

  /** The address of the service. */
  get baseUrl(): string {
    return insideOf(this).service.http.baseUrl.href;
  }

  /**
   * Closes the connections. Calls under way throw a DoiCliError of kind `interrupted`, later calls
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

function insideOf(client: Client): Inside {
  const inside = insides.get(client);
  if (inside === undefined) throw usageError('the first argument is not a Client');
  return inside;
}

/** The service of a client for one call, which a signal or the end of the client stops. */
function start(client: Client, signals: readonly AbortSignal[]) {
  const { service, onRequest, closed } = insideOf(client);
  if (closed.signal.aborted) throw usageError('the client is closed', 'make another one');
  for (const signal of signals) signal.throwIfAborted();
  const stop = new AbortController();
  // Each request under way listens to them, and Node warns of many listeners.
  setMaxListeners(0, stop.signal, ...signals);
  const sources = [closed.signal, ...signals];
  const onStop = () => stop.abort(new CliError('interrupted', 'stopped'));
  for (const source of sources) source.addEventListener('abort', onStop);
  let thrown: { readonly error: unknown } | undefined;
  const report =
    onRequest &&
    ((request: SentRequest) => {
      try {
        onRequest(request);
      } catch (error) {
        thrown ??= { error };
        onStop();
      }
    });
  return {
    service: { ...service, http: service.http.stoppedBy(stop.signal, report) },
    signal: stop.signal,
    /** @throws the error that `onRequest` threw. */
    requireQuiet: () => {
      if (thrown !== undefined) throw thrown.error;
    },
    /** The error to throw. */
    failure: (error: unknown): unknown => {
      const source = sources.find(({ aborted }) => aborted);
      if (thrown !== undefined) return thrown.error;
      if (source !== undefined) return source.reason;
      return masked(toPropertyNames(error), service.http.mask);
    },
    end: () => {
      for (const source of sources) source.removeEventListener('abort', onStop);
    },
  };
}

/** Options of the command line that errors of a copy or a connection contain. */
const PROPERTIES: Readonly<Record<string, string>> = {
  '--dir': 'directory',
  '--out': 'out',
  '--fresh': 'fresh',
  '--check': 'check',
  '--gzip': 'gzip',
  '--page-size': 'pageSize',
  '--base-url': 'baseUrl',
  '--anonymous': 'a client without credentials',
  '--probe-credentials': 'probeCredentials',
};

/**
 * The same error with properties of the library instead of options of the command line. @internal
 */
export function toPropertyNames(error: unknown): unknown {
  if (!(error instanceof CliError)) return error;
  const renamed = (text: string) =>
    text.replace(/(?<=^| )--[a-z-]+/g, (option) => PROPERTIES[option] ?? option);
  const [message, hint] = [renamed(error.message), error.hint && renamed(error.hint)];
  return message === error.message && hint === error.hint ? error : error.with({ message, hint });
}

/** Masks the secrets in an error. If it has any, its causes and its stack are dropped. */
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

/** An error and its causes, which may form a circle if a function of the caller threw it. */
function causesOf(error: unknown): unknown[] {
  const causes: unknown[] = [];
  let at = error;
  while (at !== undefined && !causes.includes(at)) {
    causes.push(at);
    at = at instanceof Error ? at.cause : undefined;
  }
  return causes;
}

/** Options that every function of the library takes. */
export interface CallOptions {
  /** Stops the call, which then throws the signal's reason. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Runs a call.
 * @throws the reason of the signal that stops it, or the error that `onRequest` threw. @internal
 */
export async function read<T>(
  client: Client,
  signal: AbortSignal | undefined,
  run: (service: Service, signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const call = start(client, signal === undefined ? [] : [signal]);
  try {
    const result = await run(call.service, call.signal);
    call.requireQuiet();
    return result;
  } catch (error) {
    throw call.failure(error);
  } finally {
    call.end();
  }
}

/** Yields the items of a call, see {@link read}. @internal */
export async function* readAll<T>(
  client: Client,
  signals: readonly AbortSignal[],
  items: (service: Service) => AsyncIterable<T>,
): AsyncGenerator<T, void, undefined> {
  const call = start(client, signals);
  try {
    for await (const item of items(call.service)) {
      call.requireQuiet();
      yield item;
    }
    call.requireQuiet();
  } catch (error) {
    throw call.failure(error);
  } finally {
    call.end();
  }
}
