// Runs the main job against the built-in emulator: creates a key, lists it, harvests every DOI record with it into a
// file, and revokes it. Exits non-zero when a step fails or a record is missing.
import { spawn } from 'node:child_process';
import { createReadStream } from 'node:fs';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const RECORDS = 25_000;
const program = fileURLToPath(new URL('../bin/doi-cli.js', import.meta.url));
const folder = await mkdtemp(join(tmpdir(), 'doi-cli-demo-'));
// A separate settings folder: the demo neither reads nor changes the user's settings.
const env = { ...process.env, DOI_CLI_CONFIG_DIR: join(folder, 'config') };
for (const name of Object.keys(env)) if (/^DOI_CLI_(?!CONFIG_DIR)/.test(name)) delete env[name];

const emulator = start(['emulator', 'start', '--records', String(RECORDS), '--format', 'json']);
let failed = true;
try {
  const { baseUrl, repository, password } = JSON.parse(await firstLine(emulator));
  Object.assign(env, {
    DOI_CLI_BASE_URL: baseUrl,
    DOI_CLI_REPOSITORY: repository,
    DOI_CLI_PASSWORD: password,
  });
  say(`The emulator serves ${RECORDS.toLocaleString('en-US')} DOI records at ${baseUrl} for ${repository}.`);

  say('1. Create an API key. It is printed once; here it also goes on to step 3.');
  const created = await run(['keys', 'create', '--name', 'demo']);
  const key = /^Key\s+(\S+)$/m.exec(created)?.[1];
  const id = /^Id\s+(\S+)$/m.exec(created)?.[1];
  check(key !== undefined && id !== undefined, 'keys create printed no key');

  say('2. List the keys: what is shown is never the key itself.');
  check(!(await run(['keys', 'list'])).includes(key), 'keys list showed the key');

  say('3. Harvest every DOI record into a file with the new key.');
  const file = join(folder, 'dois.ndjson');
  const withKey = { ...env, DOI_CLI_API_KEY: key };
  const total = Number(await run(['dois', 'list', '--count'], withKey));
  await run(['dois', 'list', '--all', '--out', file], withKey);

  say('4. Count the lines of the file.');
  const lines = await countLines(file);
  console.log(
    `${lines.toLocaleString('en-US')} lines, ${(await stat(file)).size.toLocaleString('en-US')} bytes`,
  );
  check(total >= RECORDS && lines === total, `the service counts ${total} records, the file has ${lines}`);

  say('5. Revoke the key.');
  await run(['keys', 'revoke', id, '--yes']);

  say('6. List again, with revoked keys.');
  const after = await run(['keys', 'list', '--include-revoked']);
  check(new RegExp(`^${id}.*revoked`, 'm').test(after), 'the key is not listed as revoked');

  say(`Done: all ${total.toLocaleString('en-US')} records, each exactly once, and no key left behind.`);
  failed = false;
} catch (error) {
  console.error(`\nThe demo failed: ${error.message}`);
} finally {
  emulator.kill('SIGTERM');
  await new Promise((resolve) => (emulator.exitCode === null ? emulator.once('exit', resolve) : resolve()));
  await rm(folder, { recursive: true, force: true });
}
process.exitCode = failed ? 1 : 0;

function start(args) {
  return spawn(process.execPath, [program, ...args], { env, stdio: ['ignore', 'pipe', 'inherit'] });
}

/** Shows a command and its output, and returns its stdout. */
async function run(args, environment = env) {
  const prefix = environment.DOI_CLI_API_KEY ? 'DOI_CLI_API_KEY=… ' : '';
  console.log(`$ ${prefix}doi-cli ${args.join(' ')}`);
  const child = spawn(process.execPath, [program, ...args], {
    env: environment,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text) => {
    output += text;
    process.stdout.write(text);
  });
  const code = await new Promise((resolve, reject) => child.once('close', resolve).once('error', reject));
  check(code === 0, `doi-cli ${args[0]} ${args[1]} ended with exit code ${code}`);
  return output;
}

function say(text) {
  console.log(`\n${text}\n`);
}

function check(condition, message) {
  if (!condition) throw new Error(message);
}

function firstLine(child) {
  return new Promise((resolve, reject) => {
    createInterface({ input: child.stdout }).once('line', resolve);
    child.once('exit', (code) => reject(new Error(`the emulator ended with exit code ${code}`)));
  });
}

async function countLines(file) {
  let lines = 0;
  for await (const line of createInterface({ input: createReadStream(file), crlfDelay: Infinity })) {
    JSON.parse(line);
    lines += 1;
  }
  return lines;
}
