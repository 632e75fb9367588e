// Does what people do with the built program, under the runtime that runs this, in a folder with a
// blank and umlauts:
//   <node or bun> .ci/platforms/checks.mjs [--keychain]     --keychain stores secrets in the keychain of this account
// It prints the SHA-256 of a list, to compare with other platforms, and closes with "N passed, N
// failed", and the number of those that are not possible here.
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  closeSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  writeFileSync,
} from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';

const RECORDS = 3000;
// An emulated processor is slow.
const LIMIT_MS = 300_000;
const PROGRAM = fileURLToPath(new URL('../../bin/doi-cli.js', import.meta.url));
const PASSWORD = 'correct horse';

const scratch = mkdtempSync(join(tmpdir(), 'doi-cli-checks-'));
const folder = join(scratch, 'Bücher und Sätze');
mkdirSync(folder);
const inFolder = (name) => join(folder, name);
const text = (name) => readFileSync(inFolder(name), 'utf8');
const counts = { passed: 0, failed: 0, impossible: 0 };
const children = new Set();

/** A user with an empty home, and nothing set but what Windows needs to start a program. */
const ENV = {
  PATH: process.env.PATH,
  SystemRoot: process.env.SystemRoot,
  LD_LIBRARY_PATH: process.env.LD_LIBRARY_PATH,
};
for (const name of ['HOME', 'USERPROFILE', 'APPDATA', 'LOCALAPPDATA', 'TMPDIR', 'TEMP', 'TMP'])
  ENV[name] = folder;
for (const [name, value] of Object.entries(ENV)) if (value === undefined) delete ENV[name];

/** Starts the program; `ended` tells how it ended. */
function start(argv, { env = {}, stdout = 'pipe' } = {}) {
  const child = spawn(process.execPath, [PROGRAM, ...argv], {
    cwd: folder,
    env: { ...ENV, ...env },
    stdio: ['ignore', stdout, 'pipe'],
  });
  children.add(child);
  const said = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'])
    child[name]?.setEncoding('utf8').on('data', (part) => (said[name] += part));
  const ended = new Promise((resolve) => {
    child.once('close', (code) => {
      children.delete(child);
      resolve({ code, ...said });
    });
  });
  return { child, said, ended };
}

/** Runs the program to its end. @returns what it printed */
function run(argv, { env = {}, input = '', code = 0, stdout = 'pipe' } = {}) {
  const result = spawnSync(process.execPath, [PROGRAM, ...argv], {
    cwd: folder,
    env: { ...ENV, ...env },
    input,
    stdio: ['pipe', stdout, 'pipe'],
    encoding: 'utf8',
    maxBuffer: 2 ** 28,
    timeout: LIMIT_MS,
  });
  const told = `${argv.join(' ')}: ${result.error ?? ''}\n${result.stdout?.slice(0, 2000)}\n${result.stderr?.slice(0, 2000)}`;
  assert.equal(result.status, code, told);
  return { stdout: result.stdout ?? '', stderr: result.stderr };
}

/**
 * An emulator of the service, always with the same records. @returns the environment for its users
 */
async function emulator(...options) {
  const argv = [
    'emulator',
    'start',
    '--records',
    `${RECORDS}`,
    '--account',
    `DEMO.REPO:${PASSWORD}`,
  ];
  const { said, ended } = start([...argv, '--format', 'json', ...options]);
  const stopped = ended.then(({ stderr }) => assert.fail(`the emulator has ended: ${stderr}`));
  stopped.catch(() => undefined);
  await Promise.race([until('an emulator', () => said.stdout.includes('\n')), stopped]);
  const { baseUrl } = JSON.parse(said.stdout);
  return { DOI_CLI_BASE_URL: baseUrl };
}

async function until(what, isThere) {
  const end = Date.now() + LIMIT_MS;
  while (!isThere()) {
    assert.ok(Date.now() < end, `${what}: not in time`);
    await sleep(50);
  }
}

/** @param work returns why this system cannot do it, if it cannot. */
async function check(title, work) {
  try {
    const reason = await work();
    counts[reason === undefined ? 'passed' : 'impossible'] += 1;
    console.log(
      reason === undefined ? `ok      ${title}` : `---     ${title}: not possible: ${reason}`,
    );
  } catch (error) {
    counts.failed += 1;
    console.log(`FAILED  ${title}\n${error.message}`);
  }
}

/**
 * Why others do not know the owner of a lock: under qemu-user, a process may read another start of
 * itself than they do.
 */
function whyUnknown(dir) {
  if (process.platform !== 'linux') return undefined;
  const { pid, processStart } = JSON.parse(text(`${dir}/_harvest/lock`));
  // No emulated program: these read of the process what its emulator is.
  const said = (...command) =>
    spawnSync(command[0], command.slice(1), { encoding: 'latin1' }).stdout;
  const emulator = basename(said('readlink', `/proc/${pid}/exe`).trim());
  const stat = said('cat', `/proc/${pid}/stat`);
  const start = stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19];
  if (!emulator.startsWith('qemu-') || start === processStart) return undefined;
  return `in ${emulator}, process ${pid} reads that it has started at ${processStart}, and others read ${start}`;
}

const sorted = (lines) => lines.trimEnd().split('\n').sort().join('\n');
const partsOf = (dir) =>
  readdirSync(inFolder(`${dir}/data`))
    .map((name) => text(`${dir}/data/${name}`))
    .join('');
const hasBegun = (dir) => {
  try {
    return partsOf(dir) !== '';
  } catch {
    return false;
  }
};

const service = await emulator();
const owner = { ...service, DOI_CLI_REPOSITORY: 'DEMO.REPO', DOI_CLI_PASSWORD: PASSWORD };
const everything = ['dois', 'list', '--all', '--anonymous'];
const copy = ['dois', 'harvest', '--anonymous', '--dir'];
let list = '';

await check('starts, helps, and looks at this system', () => {
  const { version } = JSON.parse(
    readFileSync(new URL('../../package.json', import.meta.url), 'utf8'),
  );
  assert.equal(run(['--version']).stdout, `${version}\n`);
  assert.match(run(['dois', 'list', '--help']).stdout, /Usage: doi-cli dois list/);
  assert.match(run(['doctor'], { env: owner }).stdout, /^ok +service .*\n(.*\n)*ok +credentials/m);
});

await check('ends with the exit code of each mistake', () => {
  assert.match(run(['dois', 'lsit'], { code: 2 }).stderr, /^error: .*\nhint: doi-cli dois list/);
  assert.match(run(['keys', 'list'], { env: service, code: 4 }).stderr, /^error: /);
  const nowhere = ['--base-url', 'http://127.0.0.1:9', '--retries', '0'];
  assert.match(
    run(['dois', 'list', '--count', '--anonymous', ...nowhere], { code: 5 }).stderr,
    /refused/,
  );
  assert.match(
    run(['dois', 'get', '10.5072/none'], { env: service, code: 1 }).stderr,
    /does not exist/,
  );
});

await check(`lists ${RECORDS} records to a pipe, a file, --out and gzip alike`, () => {
  list = run(everything, { env: service }).stdout;
  const count = run(['dois', 'list', '--count', '--anonymous'], { env: service }).stdout;
  assert.equal(list.split('\n').length - 1, Number(count));
  const file = openSync(inFolder('redirected.ndjson'), 'w');
  run(everything, { env: service, stdout: file });
  closeSync(file);
  assert.equal(text('redirected.ndjson'), list);
  for (const name of ['größe.ndjson', 'größe.ndjson.gz'])
    run([...everything, '--out', name], { env: service });
  assert.equal(text('größe.ndjson'), list);
  assert.equal(gunzipSync(readFileSync(inFolder('größe.ndjson.gz'))).toString(), list);
  console.log(`        sha256 ${createHash('sha256').update(list).digest('hex')}`);
});

const slow = await emulator('--latency', '400ms');
const slowly = [...copy, 'Kopie 1', '--page-size', '50', '--jobs', '2'];
const killed = start(slowly, { env: slow });

await check('a copy is for one process at a time', async () => {
  await until('the first records', () => hasBegun('Kopie 1'));
  const reason = whyUnknown('Kopie 1');
  if (reason === undefined)
    assert.match(run(slowly, { env: slow, code: 2 }).stderr, /in use by process \d+/);
  return reason;
});

await check('a copy survives a kill, and is the list', async () => {
  killed.child.kill('SIGKILL');
  assert.notEqual((await killed.ended).code, 0);
  assert.ok(partsOf('Kopie 1').length < list.length);
  run(['dois', 'harvest', 'status', '--dir', 'Kopie 1'], { code: 3 });
  run([...copy, 'Kopie 1', '--page-size', '50'], { env: slow });
  assert.equal(sorted(partsOf('Kopie 1')), sorted(list));
});

await check('a copy is updated, compacted and verified', () => {
  run([...copy, 'Kopie 2'], { env: service });
  const made = [
    'dois',
    'create',
    '--prefix',
    '10.5072',
    '--title',
    'Größe',
    '--creator',
    'Müller, Jürgen',
  ];
  const rest = [
    '--publisher',
    'Verlag',
    '--year',
    '2026',
    '--type',
    'Dataset',
    '--url',
    'https://example.org/ä',
  ];
  run([...made, ...rest, '--event', 'publish'], { env: owner });
  run([...copy, 'Kopie 2'], { env: service });
  run(['dois', 'harvest', 'verify', '--dir', 'Kopie 2'], { env: service });
  run(['dois', 'harvest', 'compact', '--dir', 'Kopie 2']);
  run(['dois', 'harvest', 'status', '--check', '--dir', 'Kopie 2']);
  assert.equal(sorted(partsOf('Kopie 2')), sorted(run(everything, { env: service }).stdout));
});

await check('creates many records, and updates the rows of a spreadsheet that were edited', () => {
  const record = (n) => ({
    doi: `10.5072/viele-${n}`,
    titles: [{ title: `Übersicht ${n}` }],
    creators: [{ name: 'Doe, Jane' }],
    publisher: 'Me',
    publicationYear: 2026,
    types: { resourceTypeGeneral: 'Dataset' },
  });
  writeFileSync(
    inFolder('viele.ndjson'),
    Array.from({ length: 40 }, (_, n) => `${JSON.stringify(record(n))}\n`).join(''),
  );
  const create = ['dois', 'create', '--file', 'viele.ndjson', '--out', 'ergebnis.ndjson'];
  assert.match(run(create, { env: owner }).stderr, /40 created/);
  assert.match(run(create, { env: owner }).stderr, /40 done before/);
  run(['dois', 'list', '--mine', '--all', '--state', 'draft', '--out', 'tabelle.csv'], {
    env: owner,
  });
  writeFileSync(inFolder('tabelle.csv'), text('tabelle.csv').replace('Übersicht 7', 'Überblick 7'));
  assert.match(
    run(['dois', 'update', '--file', 'tabelle.csv'], { env: owner }).stderr,
    /1 updated/,
  );
  const get = ['dois', 'get', '10.5072/viele-7', '--format', 'json'];
  assert.equal(
    JSON.parse(run(get, { env: owner }).stdout).attributes.titles[0].title,
    'Überblick 7',
  );
  run(['dois', 'delete', '--file', 'ergebnis.ndjson', '--yes'], { env: owner });
  run(get, { env: owner, code: 1 });
});

await check('keeps settings, and uses a profile', () => {
  const set = ['config', 'set', 'base-url', service.DOI_CLI_BASE_URL, '--profile', 'hier'];
  run(set);
  assert.match(run(['config', 'list']).stdout, /^hier\.base-url=http:/m);
  assert.ok(run(['config', 'path']).stdout.includes('Bücher und Sätze'));
  assert.match(
    run(['dois', 'list', '--count', '--anonymous', '--profile', 'hier']).stdout,
    /^\d+\n$/,
  );
  run(['config', 'unset', 'base-url', '--profile', 'hier']);
});

await check('creates, uses, rotates and revokes a key', () => {
  const create = run(['keys', 'create', '--name', 'prüfen', '--key-only'], { env: owner }).stdout;
  const withKey = (key) => ({ ...service, DOI_CLI_API_KEY: key.trim() });
  run(['dois', 'list', '--mine', '--count'], { env: withKey(create) });
  const rotated = run(['keys', 'rotate', 'prüfen', '--key-only', '--yes'], { env: owner }).stdout;
  run(['dois', 'list', '--mine', '--count'], { env: withKey(create), code: 4 });
  run(['dois', 'list', '--mine', '--count'], { env: withKey(rotated) });
  run(['keys', 'revoke', 'prüfen', '--yes'], { env: owner });
  assert.equal(run(['keys', 'list', '--format', 'ndjson'], { env: owner }).stdout, '');
});

await check('runs a command with an emulator', () => {
  const counted = [process.execPath, PROGRAM, 'dois', 'list', '--count', '--anonymous'];
  assert.match(run(['emulator', 'exec', '--records', '30', '--', ...counted]).stdout, /^\d+\n$/);
  run(['emulator', 'exec', '--', process.execPath, '-e', 'process.exit(7)'], { code: 7 });
});

if (process.argv.includes('--keychain')) {
  await check(
    'stores a password and a key in the keychain, rotates the key, and erases both',
    () => {
      const env = service;
      const login = ['auth', 'login', '--repository', 'DEMO.REPO', '--password-stdin'];
      run(login, { env, input: 'wrong\n', code: 4 });
      run(login, { env, input: `${PASSWORD}\n` });
      const status = () =>
        JSON.stringify(JSON.parse(run(['auth', 'status', '--format', 'json'], { env }).stdout));
      assert.match(status(), /"keychain"/);
      assert.doesNotMatch(
        run(['keys', 'create', '--name', 'laptop', '--save'], { env }).stdout,
        /DC\.\w{20}/,
      );
      run(['dois', 'list', '--mine', '--count'], { env });
      run(['keys', 'rotate', '--current', '--save', '--yes'], { env });
      assert.match(status(), /"api-key"/);
      for (const name of readdirSync(folder, { recursive: true }))
        if (/\.(json|ndjson)$/.test(name)) assert.ok(!text(name).includes(PASSWORD), name);
      run(['auth', 'logout', '--all'], { env });
      run(['auth', 'status'], { env, code: 4 });
    },
  );
}

for (const child of children) child.kill('SIGKILL');
await rm(scratch, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 });
const { passed, failed, impossible } = counts;
console.log(
  `${passed} passed, ${failed} failed${impossible > 0 ? `, ${impossible} not possible` : ''}`,
);
process.exitCode = failed === 0 ? 0 : 1;
