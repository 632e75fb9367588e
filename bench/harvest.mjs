// A streaming harvest to /dev/null, against a bare download and against a loop of curl and jq.
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { measure, summary } from './measure.mjs';
import { freePort, startNginx } from './nginx.mjs';
import { writePages } from './pages.mjs';
import { printTable, printTarget } from './report.mjs';

const MIB = 1024 * 1024;
const PROCESS_TIMEOUT_MS = 300_000;

/**
 * @param {{ program: string, directory: string, pages: number, pageSize: number, runs: number }}
 *   options `directory` is empty and takes the page set
 * @throws {Error} when a candidate does not deliver everything
 */
export async function benchHarvest({ program, directory, pages, pageSize, runs }) {
  const port = await freePort();
  const baseUrl = `http://127.0.0.1:${port}`;
  await mkdir(join(directory, 'pages'));
  const set = await writePages({ directory: join(directory, 'pages'), baseUrl, pages, pageSize });
  const [plain, packed] = [set.bodyBytes, set.gzipBytes].map((bytes) => Math.round(bytes / MIB));
  console.log(
    `harvest: ${pages} pages of ${pageSize} records, ${plain} MiB, ${packed} MiB as gzip`,
  );

  const stop = await startNginx(directory, port);
  try {
    const candidates = await commands({ program, directory, baseUrl, urls: set.urls });
    await checkOutputs(candidates, set);
    const results = await measure(Object.values(candidates), {
      runs,
      warmups: 1,
      scratchFile: join(directory, 'time.txt'),
      onRun: (text) => console.error(text),
    });
    report(results);
  } finally {
    await stop();
  }
}

/** The program and the usual alternatives. Each is one process tree that fetches the same pages. */
async function commands({ program, directory, baseUrl, urls }) {
  const curlConfig = join(directory, 'curl.conf');
  await writeFile(curlConfig, urls.map((url) => `url = "${url}"\n`).join(''));
  const urlList = join(directory, 'urls.txt');
  await writeFile(urlList, urls.map((url) => `${url}\n`).join(''));
  const page = `curl -q -gsf --compressed "$url" | jq -c '.data[]'`;
  const loop = `while read -r url; do ${page}; done < "$0"`;
  return {
    program: {
      name: 'doi-cli dois list --all',
      command: [
        process.execPath,
        program,
        'dois',
        'list',
        '--all',
        '--anonymous',
        '--base-url',
        baseUrl,
      ],
    },
    curl: {
      name: 'curl --compressed',
      command: ['curl', '-q', '-gsf', '--compressed', '-K', curlConfig],
    },
    bare: {
      name: 'bare download in Node',
      command: [process.execPath, join(import.meta.dirname, 'bare-download.mjs'), urlList],
    },
    loop: {
      name: 'loop of curl and jq',
      command: ['bash', '-o', 'pipefail', '-ec', loop, urlList],
    },
  };
}

/**
 * Outside the timing: every candidate delivers everything, and the program delivers the exact input
 * bytes.
 */
async function checkOutputs({ program, curl, bare, loop }, set) {
  const hash = createHash('sha256');
  const ids = new Set();
  let lines = 0;
  let rest = '';
  await consume(program.command, (chunk) => {
    hash.update(chunk);
    const parts = (rest + chunk.toString('latin1')).split('\n');
    rest = parts.pop();
    lines += parts.length;
    for (const line of parts) ids.add(/^\{"id":"[^"]+"/.exec(line)?.[0]);
  });
  expectEqual('lines of doi-cli', lines, set.lines);
  expectEqual('distinct ids of doi-cli', ids.size, set.lines);
  expectEqual('SHA-256 of the records of doi-cli', hash.digest('hex'), set.lineHash);

  for (const { name, command } of [curl, bare]) {
    let downloaded = 0;
    await consume(command, (chunk) => {
      downloaded += chunk.length;
    });
    expectEqual(`bytes of ${name}`, downloaded, set.bodyBytes);
  }

  let loopLines = 0;
  await consume(loop.command, (chunk) => {
    for (let at = chunk.indexOf(10); at >= 0; at = chunk.indexOf(10, at + 1)) loopLines++;
  });
  expectEqual('lines of the loop', loopLines, set.lines);
  console.log(
    `checked: ${set.lines} records, all ids distinct, byte for byte the records that were served`,
  );
}

/**
 * @param {string[]} command
 * @param {(chunk: Buffer) => void} onChunk takes the bytes of stdout
 */
async function consume([file, ...args], onChunk) {
  const child = spawn(file, args, {
    stdio: ['ignore', 'pipe', 'inherit'],
    timeout: PROCESS_TIMEOUT_MS,
  });
  child.stdout.on('data', onChunk);
  const [code] = await once(child, 'close');
  expectEqual(`exit code of ${file}`, code, 0);
}

function expectEqual(/** @type {string} */ what, actual, expected) {
  if (actual !== expected) throw new Error(`${what}: ${actual}, expected ${expected}`);
}

/** @param {import('./measure.mjs').Result[]} results of the candidates */
function report(results) {
  printTable(results);
  const [program, curl, bare, loop] = results.map((result) => summary(result, 'wallMs').median);
  console.log();
  printTarget({ what: 'time against curl', value: program / curl, limit: 1.3, unit: ' times' });
  printTarget({
    what: 'time against a bare download in Node',
    value: program / bare,
    limit: 1.3,
    unit: ' times',
  });
  printTarget({
    what: 'faster than the loop',
    value: loop / program,
    limit: 12,
    unit: ' times',
    atLeast: true,
  });
  printTarget({
    what: 'peak memory',
    value: summary(results[0], 'peakKb').max / 1024,
    limit: 200,
    unit: ' MB',
  });
}
