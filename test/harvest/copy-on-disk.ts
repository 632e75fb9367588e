import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import type { LedgerData } from '../../src/harvest/store/ledger-data.ts';
import type { Receipt } from '../../src/harvest/store/receipt.ts';
import { PASSWORD, REPOSITORY, type TestEmulator } from '../helpers/emulator.ts';
import { COMPLETE_RECORD } from '../helpers/records.ts';
import { temporaryDirectory } from '../helpers/temporary.ts';

/** A path for a harvest, which creates the directory; removed at the end of the test. */
export function newDirectory(): string {
  return join(temporaryDirectory(), 'copy');
}

/** The names of the part files, in order. */
export function partsIn(dir: string): string[] {
  return readdirSync(join(dir, 'data')).sort();
}

function textOf(dir: string, name: string): string {
  const bytes = readFileSync(join(dir, 'data', name));
  return (name.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString();
}

/** The lines of one part file. */
export function linesOf(dir: string, name: string): string[] {
  const text = textOf(dir, name);
  return text === '' ? [] : text.replace(/\n$/, '').split('\n');
}

/** The lines of all part files, sorted by their bytes. */
export function linesIn(dir: string): string[] {
  return sortedLines(
    partsIn(dir)
      .map((name) => textOf(dir, name))
      .join(''),
  );
}

export function sortedLines(text: string): string[] {
  return text.split('\n').slice(0, -1).sort();
}

export function ledgerIn(dir: string): LedgerData {
  return JSON.parse(readFileSync(join(dir, '_harvest', 'ledger.json'), 'utf8')) as LedgerData;
}

export function receiptIn(dir: string, generation = 1): Receipt {
  const name = `receipt-g${String(generation).padStart(4, '0')}.json`;
  return JSON.parse(readFileSync(join(dir, '_harvest', name), 'utf8')) as Receipt;
}

/** The rule for readers: for each DOI, the line in the file with the greatest name. Sorted. */
export function latest(dir: string): string[] {
  const byDoi = new Map<string, string>();
  for (const name of partsIn(dir)) {
    for (const line of linesOf(dir, name)) byDoi.set((JSON.parse(line) as { id: string }).id, line);
  }
  return [...byDoi.values()].sort();
}

/** The lines of a fresh list, sorted. */
export async function all(emulator: TestEmulator, ...filters: string[]): Promise<string[]> {
  const { code, stdout, stderr } = await emulator.run(['dois', 'list', '--all', ...filters]);
  if (code !== 0) throw new Error(stderr);
  return sortedLines(stdout);
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
    ...(attributes === undefined
      ? {}
      : { body: JSON.stringify({ data: { type: 'dois', attributes } }) }),
  });
  await response.arrayBuffer();
  return response.status;
}

/** A record that is Findable once it is sent. */
export const COMPLETE = { ...COMPLETE_RECORD, event: 'publish' };

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

/** Several files for few records. */
export const PLAIN = ['--page-size', '16', '--jobs', '3'];

/** A directory with three generations. */
export async function threeGenerations(
  emulator: TestEmulator,
  ...options: string[]
): Promise<string> {
  const dir = temporaryDirectory();
  await must(emulator, harvest(dir, ...PLAIN, ...options));
  const mine = (await all(emulator, '--mine')).map(
    (line) => (JSON.parse(line) as { id: string }).id,
  );
  for (const title of ['second', 'third']) {
    for (const doi of [...mine.slice(0, 30), `10.5072/${title}`]) {
      await send(emulator, 'PUT', doi, { ...COMPLETE, titles: [{ title }] });
    }
    await must(emulator, harvest(dir, ...PLAIN, ...options));
  }
  return dir;
}

async function must(emulator: TestEmulator, argv: readonly string[]): Promise<void> {
  const { code, stderr } = await emulator.run(argv);
  if (code !== 0) throw new Error(stderr);
}
