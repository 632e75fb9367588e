// The main job under the built-in emulator, by `npm run demo`: creates a key, lists it, harvests
// every DOI record with it into a file, and revokes it. Exits non-zero when a step fails or a
// record is missing.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PROGRAM, underEmulator } from './emulated.mjs';

const RECORDS = 25_000;

underEmulator('--records', `${RECORDS}`);
const folder = mkdtempSync(join(tmpdir(), 'doi-cli-demo-'));
// A separate settings folder: the demo neither reads nor changes the user's settings.
process.env.DOI_CLI_CONFIG_DIR = join(folder, 'config');
try {
  demonstrate();
} catch (error) {
  console.error(`\nThe demo failed: ${error.message}`);
  process.exitCode = 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}

function demonstrate() {
  say('1. Create an API key. It is printed once; step 3 uses it, too.');
  const created = run(['keys', 'create', '--name', 'demo'], { captured: true });
  const [, key] = /^Key\s+(\S+)$/m.exec(created) ?? [];
  const [, id] = /^Id\s+(\S+)$/m.exec(created) ?? [];
  check(key !== undefined && id !== undefined, 'keys create printed no key');

  say('2. List the keys. The key itself is not shown.');
  run(['keys', 'list']);
  check(!output(['keys', 'list', '--format', 'json']).includes(key), 'keys list showed the key');

  say('3. Harvest every DOI record into a file with the new key.');
  const file = join(folder, 'dois.ndjson');
  const total = Number(run(['dois', 'list', '--count'], { captured: true, key }));
  run(['dois', 'list', '--all', '--out', file], { key });

  say('4. Count the lines of the file.');
  const ids = readFileSync(file, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line).id);
  console.log(`${ids.length.toLocaleString('en-US')} lines`);
  const isComplete = total >= RECORDS && ids.length === total && new Set(ids).size === total;
  check(isComplete, `the service counts ${total} records, the file has ${ids.length}`);

  say('5. Revoke the key.');
  run(['keys', 'revoke', id, '--yes']);

  say('6. List again, with revoked keys.');
  const all = ['keys', 'list', '--include-revoked'];
  run(all);
  const after = JSON.parse(output([...all, '--format', 'json']));
  const isRevoked = after.some((each) => each.id === id && each.attributes.revokedAt);
  check(isRevoked, 'the key is not listed as revoked');

  const records = `all ${total.toLocaleString('en-US')} records`;
  say(`Done: ${records}, each exactly once, and no key left behind.`);
}

/**
 * Shows a command and its output. Output that is not captured goes to the terminal, whose width
 * tables have.
 * @param {string} [key] the API key that it uses
 * @returns the captured output
 */
function run(args, { captured = false, key } = {}) {
  console.log(`$ ${key === undefined ? '' : 'DOI_CLI_API_KEY=… '}doi-cli ${args.join(' ')}`);
  const stdout = output(args, { key, stdio: captured ? 'pipe' : 'inherit' });
  process.stdout.write(stdout);
  return stdout;
}

/** @returns the output of a command, if it is not inherited */
function output(args, { key, stdio = 'pipe' } = {}) {
  const env = key === undefined ? process.env : { ...process.env, DOI_CLI_API_KEY: key };
  const options = { env, stdio: ['ignore', stdio, 'inherit'], encoding: 'utf8' };
  const { status, stdout } = spawnSync(process.execPath, [PROGRAM, ...args], options);
  check(status === 0, `doi-cli ${args[0]} ${args[1]} ended with exit code ${status}`);
  return stdout ?? '';
}

function say(text) {
  console.log(`\n${text}\n`);
}

function check(condition, message) {
  if (!condition) throw new Error(message);
}
