import { onTestFinished } from 'vitest';
import { type EmulatorOptions, startEmulator } from '../../src/emulator/index.ts';
import { parseFault } from '../../src/emulator/state/faults.ts';

export const DEMO = basic('DEMO.REPO', 'one');
export const OTHER = basic('OTHER.REPO', 'two');
export const MEMBER = basic('DEMO', 'three');

export interface Reply {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The body as JSON. */
  readonly json: () => Document;
}

export interface Resource {
  readonly id: string;
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly relationships: { readonly client?: { readonly data: { readonly id: string } } };
}

export interface Document {
  readonly data: Resource[];
  readonly meta: Readonly<Record<string, unknown>> & {
    readonly total: number;
    readonly page?: number;
  };
  readonly links: { readonly self: string; readonly next?: string };
}

export interface Service {
  readonly baseUrl: string;
  get(
    path: string,
    authorization?: string,
    headers?: Readonly<Record<string, string>>,
  ): Promise<Reply>;
  send(
    method: string,
    path: string,
    body?: unknown,
    authorization?: string,
    headers?: Readonly<Record<string, string>>,
  ): Promise<Reply>;
  /** Gets a list of DOIs. */
  list(query: string, authorization?: string): Promise<Document>;
  /** Sends a POST to the control endpoint. */
  control(path: string, body?: unknown): Promise<Reply>;
}

/** Starts an emulator with two repositories and a member, and stops it when the test ends. */
export async function serviceWith(
  options: Omit<EmulatorOptions, 'faults'> & { readonly faults?: readonly string[] } = {},
): Promise<Service> {
  const emulator = await startEmulator({
    accounts: [
      { id: 'DEMO.REPO', password: 'one' },
      { id: 'OTHER.REPO', password: 'two' },
      { id: 'DEMO', password: 'three' },
    ],
    ...options,
    faults: (options.faults ?? []).map(parseFault),
  });
  onTestFinished(() => emulator.close());
  const { baseUrl } = emulator;
  const service: Service = {
    baseUrl,
    get: (path, authorization, headers) =>
      request('GET', baseUrl + path, undefined, authorization, headers),
    send: (method, path, body, authorization, headers) =>
      request(method, baseUrl + path, body, authorization, headers),
    async list(query, authorization) {
      const reply = await request('GET', `${baseUrl}/dois?${query}`, undefined, authorization);
      if (reply.status !== 200) throw new Error(`HTTP ${reply.status}: ${reply.text}`);
      return reply.json();
    },
    control: (path, body) => request('POST', `${baseUrl}/_emulator/${path}`, body),
  };
  return service;
}

export function basic(username: string, password: string): string {
  return `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;
}

async function request(
  method: string,
  url: string,
  body: unknown,
  authorization?: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<Reply> {
  const response = await fetch(url, {
    method,
    redirect: 'manual',
    headers: {
      ...(authorization === undefined ? {} : { authorization }),
      ...(body === undefined ? {} : { 'content-type': 'application/vnd.api+json' }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    signal: AbortSignal.timeout(10_000),
  });
  const text = await response.text();
  return {
    status: response.status,
    headers: response.headers,
    text,
    json: () => JSON.parse(text) as Document,
  };
}

/** The ids of a list. */
export function ids(document: Document): string[] {
  return document.data.map(({ id }) => id);
}
