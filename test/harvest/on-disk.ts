import { PASSWORD, REPOSITORY, type TestEmulator } from '../helpers/emulator.ts';
import { linesOf, partsIn, sortedLines } from './harvested.ts';

export { linesOf, newDirectory as folder, partsIn as parts } from './harvested.ts';

/**
 * The lines that the rule for readers selects: for each DOI the one in the file with the greatest name.
 * Sorted.
 */
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

/** Writes or deletes a DOI record with the credentials of the emulator's account. Returns the HTTP status. */
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

/** The harvest command line, at a rate that needs no waits. */
export const harvest = (dir: string, ...more: string[]) => [
  'dois',
  'harvest',
  '--dir',
  dir,
  '--rate',
  '100000/s',
  ...more,
];
