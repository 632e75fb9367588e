import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { onTestFinished } from 'vitest';
import { PASSWORD, REPOSITORY, type TestEmulator } from '../helpers/emulator.ts';

/** A directory for one harvest, removed when the test ends. */
export function folder(): string {
  const dir = mkdtempSync(join(tmpdir(), 'doi-cli-copy-'));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  return dir;
}

/** The names of the part files, in order. */
export function parts(dir: string): string[] {
  return readdirSync(join(dir, 'data')).sort();
}

/** The lines of one part file. */
export function linesOf(dir: string, name: string): string[] {
  const bytes = readFileSync(join(dir, 'data', name));
  const text = (name.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString();
  return text === '' ? [] : text.replace(/\n$/, '').split('\n');
}

/** What the rule for readers gives: for each DOI the line in the file with the greatest name. Sorted. */
export function latest(dir: string): string[] {
  const byDoi = new Map<string, string>();
  for (const name of parts(dir)) {
    for (const line of linesOf(dir, name)) byDoi.set((JSON.parse(line) as { id: string }).id, line);
  }
  return [...byDoi.values()].sort();
}

/** What a fresh harvest gives, sorted. */
export async function all(emulator: TestEmulator, ...filters: string[]): Promise<string[]> {
  const { code, stdout, stderr } = await emulator.run(['dois', 'list', '--all', ...filters]);
  if (code !== 0) throw new Error(stderr);
  return stdout.split('\n').slice(0, -1).sort();
}

/** Writes a DOI record with the credentials of the emulator's account; the status. */
export async function send(
  { baseUrl }: TestEmulator,
  method: 'PUT' | 'DELETE',
  doi: string,
  attributes?: object,
): Promise<number> {
  const response = await fetch(`${baseUrl}/dois/${encodeURIComponent(doi)}`, {
    method,
    headers: {
      authorization: `Basic ${Buffer.from(`${REPOSITORY}:${PASSWORD}`).toString('base64')}`,
      'content-type': 'application/vnd.api+json',
    },
    ...(attributes === undefined ? {} : { body: JSON.stringify({ data: { type: 'dois', attributes } }) }),
  });
  await response.arrayBuffer();
  return response.status;
}

export const COMPLETE = {
  creators: [{ name: 'A' }],
  titles: [{ title: 'T' }],
  publisher: 'P',
  publicationYear: 2024,
  types: { resourceTypeGeneral: 'Text' },
  url: 'https://example.org/',
  event: 'publish',
};

/** The harvest command line; without the waits of the service's own rate. */
export const harvest = (dir: string, ...more: string[]) => [
  'dois',
  'harvest',
  '--dir',
  dir,
  '--rate',
  '100000/s',
  ...more,
];
