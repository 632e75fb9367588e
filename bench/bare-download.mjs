// node bench/bare-download.mjs <file of addresses>: downloads and unpacks each of them with undici
// and zlib, and does nothing else. On two cores, unpacking a page at once takes less time than
// unpacking it in another thread or in chunks.
import { readFileSync, writeSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { request } from 'undici';

for (const url of readFileSync(process.argv[2], 'utf8').trim().split('\n')) {
  const { body } = await request(url, { headers: { 'accept-encoding': 'gzip' } });
  const page = Buffer.from(await body.arrayBuffer());
  // Gzip ends with the unpacked size.
  const unpacked = gunzipSync(page, { chunkSize: page.readUInt32LE(page.length - 4) + 1 });
  for (let from = 0; from < unpacked.length; ) from += writeSync(1, unpacked, from);
}
