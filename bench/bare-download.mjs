// node bench/bare-download.mjs <file of addresses>: downloads and unpacks each of them with undici
// and zlib, and does nothing else. No program in Node takes less time.
import { readFileSync } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { request } from 'undici';

const CHUNK_BYTES = 256 * 1024;

for (const url of readFileSync(process.argv[2], 'utf8').trim().split('\n')) {
  const { body } = await request(url, { headers: { 'accept-encoding': 'gzip' } });
  await pipeline(body, createGunzip({ chunkSize: CHUNK_BYTES }), process.stdout, { end: false });
}
