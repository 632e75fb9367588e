// The page set of the benchmark: the service's answers to a harvest, as gzip files.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';

const compress = promisify(gzip);

/** Real records of the service (CC0), one a line, as compact JSON like the service's own. */
const templates = readFileSync(new URL('records.ndjson', import.meta.url), 'utf8')
  .trimEnd()
  .split('\n')
  .map((text) => ({ text, ...JSON.parse(text) }));

const FIRST_CREATED = Date.UTC(2012, 0, 1);
const SPACING_MS = 4000;

/**
 * The record at a position of the harvest, as the expected output line: a real record with a unique
 * DOI and a creation time that rises with the position. The templates repeat at five times the
 * window of gzip, so the pages are as hard to compress as real ones.
 *
 * @param {number} index from 0
 */
export function record(index) {
  const { text, id, attributes } = templates[index % templates.length];
  return text
    .replaceAll(id, doi(index))
    .replaceAll(attributes.created, `${new Date(created(index)).toISOString().slice(0, 19)}Z`);
}

const doi = (/** @type {number} */ index) => `10.5072/bench-${String(index).padStart(8, '0')}`;
const created = (/** @type {number} */ index) => FIRST_CREATED + index * SPACING_MS;

/** The service's cursor for the page that begins at `index`; the first page has the cursor 1. */
function cursorAt(/** @type {number} */ index) {
  return index === 0
    ? '1'
    : Buffer.from(`${created(index - 1)},${doi(index - 1)}`).toString('base64url');
}

/**
 * Writes `<cursor>.json.gz` for each page.
 *
 * @param {{ directory: string, baseUrl: string, pages: number, pageSize: number }} options
 * @returns {Promise<{ urls: string[], lines: number, lineHash: string, bodyBytes: number,
 *   gzipBytes: number }>} `urls` of the pages in order; `lineHash` is the SHA-256 of all records,
 *   each with a newline, in order
 */
export async function writePages({ directory, baseUrl, pages, pageSize }) {
  const url = (/** @type {number} */ page) =>
    `${baseUrl}/dois?disable-facets=true&page%5Bcursor%5D=${cursorAt(page * pageSize)}` +
    `&page%5Bsize%5D=${pageSize}`;
  const lineHash = createHash('sha256');
  let bodyBytes = 0;
  let gzipBytes = 0;

  const writePage = async (/** @type {number} */ page) => {
    const records = Array.from({ length: pageSize }, (_, row) => record(page * pageSize + row));
    for (const line of records) lineHash.update(`${line}\n`);
    const meta = { total: pages * pageSize, totalPages: pages };
    const links = { self: url(page), ...(page + 1 < pages && { next: url(page + 1) }) };
    const rest = `"meta":${JSON.stringify(meta)},"links":${JSON.stringify(links)}`;
    const body = `{"data":[${records.join(',')}],${rest}}`;
    bodyBytes += Buffer.byteLength(body);
    const zipped = await compress(body);
    gzipBytes += zipped.length;
    await writeFile(join(directory, `${cursorAt(page * pageSize)}.json.gz`), zipped);
  };

  // Each worker hashes its page before it first waits, so the pages enter the hash in their order.
  let next = 0;
  const worker = async () => {
    while (next < pages) await writePage(next++);
  };
  await Promise.all(Array.from({ length: availableParallelism() }, worker));

  return {
    urls: Array.from({ length: pages }, (_, page) => url(page)),
    lines: pages * pageSize,
    lineHash: lineHash.digest('hex'),
    bodyBytes,
    gzipBytes,
  };
}
