// What a copy and its tables take, by the number of records: bytes, time, memory, and the five
// questions of docs/export.md. Each is extrapolated to all DOIs.
import { createReadStream, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createGunzip } from 'node:zlib';
import { startEmulator } from './emulator.mjs';
import { measure, summary } from './measure.mjs';
import { ALL, bytesBelow, gigabytes } from './registry.mjs';

const DUCKDB = fileURLToPath(new URL('../test/pipelines/duckdb.mjs', import.meta.url));
const DOCUMENT = fileURLToPath(new URL('../docs/export.md', import.meta.url));
const MOST_MB = 300;
const TIMEOUT_MS = 3_600_000;

/**
 * @param {{ program: string, directory: string, sizes: number[] }} options
 * @throws {Error} when a command fails
 */
export async function benchTables({ program, directory, sizes }) {
  const rows = [];
  for (const records of sizes) rows.push(await run({ program, directory, records }));
  const last = rows.at(-1);
  const scale = ALL / last.records;
  const all = Object.fromEntries(
    Object.entries(last).map(([name, value]) => [
      name,
      name.endsWith('MB') ? value : value * scale,
    ]),
  );
  console.log(
    `| | ${[...rows, all].map(({ records }) => records.toLocaleString('en')).join(' | ')} |`,
  );
  console.log(`|---|${'---|'.repeat(rows.length + 1)}`);
  for (const [name, print] of Object.entries(LINES)) {
    console.log(`| ${name} | ${[...rows, all].map((row) => print(row)).join(' | ')} |`);
  }
  const peak = Math.max(...rows.flatMap(({ exportMB, queryMB }) => [exportMB, queryMB]));
  if (peak > MOST_MB) throw new Error(`${Math.round(peak)} MB, more than ${MOST_MB}`);
}

const time = (ms) =>
  ms > 7_200_000 ? `${(ms / 3_600_000).toFixed(1)} h` : `${Math.round(ms / 1000)} s`;

/**
 * The lines of the table. At the service, a request fetches 1,000 records, and 3,000 or 500 are
 * allowed in 5 minutes.
 */
const LINES = {
  'requests, 3,000 in 5 minutes': ({ records }) => time(records * 0.1),
  'requests, 500 in 5 minutes': ({ records }) => time(records * 0.6),
  NDJSON: ({ plain }) => gigabytes(plain),
  '`--gzip`': ({ gzip }) => gigabytes(gzip),
  tables: ({ tables }) => gigabytes(tables),
  'export, processor time': ({ exportMs }) => time(exportMs),
  'export, memory': ({ exportMB }) => `${Math.round(exportMB)} MB`,
  'five questions, processor time': ({ queryMs }) => time(queryMs),
  'five questions, memory': ({ queryMB }) => `${Math.round(queryMB)} MB`,
};

async function run({ program, directory, records }) {
  const emulator = await startEmulator(program, ['--records', `${records}`]);
  const [copy, out] = [join(directory, 'copy'), join(directory, 'tables')];
  const sample = async (name, command) => {
    const options = {
      runs: 1,
      warmups: 0,
      scratchFile: join(directory, 'time.txt'),
      onRun: console.error,
    };
    const [result] = await measure([{ name, command, timeoutMs: TIMEOUT_MS }], options);
    return { cpuMs: summary(result, 'cpuMs').max, mb: summary(result, 'peakKb').max / 1024 };
  };
  const doiCli = (name, ...argv) =>
    sample(`${name}, ${records}`, [process.execPath, program, ...argv]);
  try {
    const query = ['--rate', '1000/1s', '--anonymous', '--quiet', '--gzip'];
    await doiCli(
      'harvest',
      'dois',
      'harvest',
      '--base-url',
      emulator.baseUrl,
      '--dir',
      copy,
      ...query,
    );
    const exported = await doiCli(
      'export',
      'dois',
      'harvest',
      'export',
      '--dir',
      copy,
      '--out',
      out,
      '--quiet',
    );
    const queries = [];
    for (const [, sql] of questions(out)) {
      const file = join(directory, 'query.sql');
      writeFileSync(file, `SET memory_limit = '150MB'; SET threads = 2; ${sql}`);
      queries.push(
        await sample('question', ['bash', '-c', `'${process.execPath}' '${DUCKDB}' < '${file}'`]),
      );
    }
    return {
      records,
      plain: await plainBytes(join(copy, 'data')),
      gzip: bytesBelow(join(copy, 'data')),
      tables: bytesBelow(out),
      exportMs: exported.cpuMs,
      exportMB: exported.mb,
      queryMs: queries.reduce((sum, { cpuMs }) => sum + cpuMs, 0),
      queryMB: Math.max(...queries.map(({ mb }) => mb)),
    };
  } finally {
    await emulator.stop();
    rmSync(copy, { recursive: true, force: true });
    rmSync(out, { recursive: true, force: true });
  }
}

/** The questions of the document with their SQL. */
function questions(out) {
  const [, text = ''] = readFileSync(DOCUMENT, 'utf8').split('## Five questions');
  return [...text.matchAll(/^([^\n]+):\n\n```sql\n(.*?)^```/gms)].map(([, question, sql]) => [
    question,
    sql.replaceAll("'tables/", `'${out}/`),
  ]);
}

async function plainBytes(folder) {
  let bytes = 0;
  for (const name of readdirSync(folder)) {
    for await (const chunk of createReadStream(join(folder, name)).pipe(createGunzip()))
      bytes += chunk.length;
  }
  return bytes;
}
