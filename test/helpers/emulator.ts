import { onTestFinished } from 'vitest';
import { type EmulatorOptions, startEmulator } from '../../src/emulator/index.ts';
import { parseFault } from '../../src/emulator/state/faults.ts';
import { type RunOptions, type RunResult, run } from './run.ts';

export const REPOSITORY = 'DEMO.REPO';
export const PASSWORD = 'correct horse';

export interface Logged {
  readonly method: string;
  readonly path: string;
  readonly status: number;
}

export interface TestEmulator {
  readonly baseUrl: string;
  /** The environment with repository credentials. */
  readonly env: Readonly<Record<string, string>>;
  /** Runs a command line with `env`, overridden by the environment in the options. */
  run(argv: readonly string[], options?: RunOptions): Promise<RunResult>;
  /** Runs a command line without credentials. */
  anonymous(argv: readonly string[], options?: RunOptions): Promise<RunResult>;
  /** The requests so far, without those to the control endpoint. */
  log(): Promise<readonly Logged[]>;
  control(path: string, body?: unknown): Promise<unknown>;
  /** Creates a key and returns it with its id. */
  newKey(name: string): Promise<{ id: string; key: string; prefix: string }>;
  /** Creates a key without the client, which refuses some names. */
  plantKey(name: string): Promise<{ id: string; prefix: string }>;
}

/**
 * Starts an emulator for one test.
 * @param atEnd registers the function that stops it; concurrent tests pass the `onTestFinished` of
 *   their context
 */
export async function emulate(
  options: Omit<EmulatorOptions, 'faults'> & { readonly faults?: readonly string[] } = {},
  atEnd: (stop: () => Promise<void>) => void = onTestFinished,
): Promise<TestEmulator> {
  const emulator = await startEmulator({
    records: 300,
    accounts: [{ id: REPOSITORY, password: PASSWORD }],
    ...options,
    faults: (options.faults ?? []).map(parseFault),
  });
  atEnd(() => emulator.close());
  const { baseUrl } = emulator;
  const env = {
    DOI_CLI_BASE_URL: baseUrl,
    DOI_CLI_REPOSITORY: REPOSITORY,
    DOI_CLI_PASSWORD: PASSWORD,
  };
  const made: TestEmulator = {
    baseUrl,
    env,
    run: (argv, more = {}) => run(argv, { ...more, env: { ...env, ...more.env } }),
    anonymous: (argv, more = {}) =>
      run(argv, { ...more, env: { DOI_CLI_BASE_URL: baseUrl, ...more.env } }),
    async log() {
      const { requests } = (await made.control('log')) as { requests: Logged[] };
      return requests;
    },
    async control(path, body) {
      const response = await fetch(`${baseUrl}/_emulator/${path}`, {
        method: body === undefined ? 'GET' : 'POST',
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      if (!response.ok)
        throw new Error(`${path}: HTTP ${response.status} ${await response.text()}`);
      return response.status === 204 ? undefined : response.json();
    },
    async newKey(name) {
      const { stdout } = await made.run(['keys', 'create', '--name', name, '--format', 'json']);
      const { id, attributes } = JSON.parse(stdout) as {
        id: string;
        attributes: { key: string; keyPrefix: string };
      };
      return { id, key: attributes.key, prefix: attributes.keyPrefix };
    },
    async plantKey(name) {
      const response = await fetch(`${baseUrl}/credentials/api-keys`, {
        method: 'POST',
        headers: {
          authorization: `Basic ${btoa(`${REPOSITORY}:${PASSWORD}`)}`,
          'content-type': 'application/vnd.api+json',
        },
        body: JSON.stringify({ data: { type: 'apiKeys', attributes: { name } } }),
      });
      const { data } = (await response.json()) as {
        data: { id: string; attributes: { keyPrefix: string } };
      };
      return { id: data.id, prefix: data.attributes.keyPrefix };
    },
  };
  return made;
}
