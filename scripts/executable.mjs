// Makes one executable of the program and Node, for machines without Node:
// node scripts/executable.mjs <folder> [--node <binary of Node 26 or newer>]
// It is for the platform of that Node, which is the one that runs this unless another is named.
import { execFileSync } from 'node:child_process';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { build } from 'esbuild';
import { bundling, manifest, root } from './bundling.mjs';
import { bundledPackages, renderNotices } from './notices.mjs';
import writeValidators from './validators.mjs';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { node: { type: 'string', default: process.execPath } },
});
const [folder, ...others] = positionals;
if (folder === undefined || others.length > 0) {
  fail('usage: node scripts/executable.mjs <folder> [--node <binary of Node 26 or newer>]');
}
const runtime = execFileSync(values.node, ['--version'], { encoding: 'utf8' }).trim();
if (Number.parseInt(runtime.slice(1), 10) < 26) {
  fail(
    `error: Node ${runtime} cannot build the executable: ` +
      'run this with Node 26 or newer, or pass its path with --node',
  );
}
const scratch = mkdtempSync(join(tmpdir(), 'doi-cli-executable-'));
try {
  mkdirSync(folder, { recursive: true });
  await writeValidators();
  // Each with its lazy parts in one file.
  const { metafile } = await build({
    ...bundling,
    entryPoints: {
      main: 'scripts/executable/entry.mjs',
      'keychain-child': 'src/credentials/keychain-child.ts',
    },
    outdir: scratch,
    // Node keeps compiled code only for this format.
    format: 'cjs',
    target: 'node26',
    supported: { 'dynamic-import': false },
    alias: {
      '@napi-rs/keyring': join(root, 'scripts/executable/keyring.mjs'),
      'libxml2-wasm': join(root, 'scripts/executable/libxml2.mjs'),
    },
    // The addresses of files next to the program, which nothing asks for here.
    logOverride: { 'empty-import-meta': 'silent' },
  });
  const keyring = keyringFolder();
  const binding = readdirSync(keyring).find((name) => name.endsWith('.node'));
  const executable = makeExecutable({
    'keychain-child': join(scratch, 'keychain-child.js'),
    'keyring.node': join(keyring, binding ?? ''),
  });
  writeFileSync(join(folder, 'THIRD-PARTY-NOTICES.txt'), renderNotices(bundledPackages(metafile)));
  copyFileSync(join(root, 'LICENSE'), join(folder, 'LICENSE'));
  copyFileSync(join(keyring, 'LICENSE.third-party.md'), join(folder, 'LICENSE-KEYRING.md'));
  copyFileSync(nodeLicence(), join(folder, 'LICENSE-NODE'));
  const told = execFileSync(executable, ['--version'], { encoding: 'utf8' });
  if (told !== `${manifest.version}\n`) throw new Error(`--version prints ${JSON.stringify(told)}`);
  console.error(`executable: ${executable}`);
} finally {
  rmSync(scratch, { recursive: true, force: true });
}

/** @param {string} message */
function fail(message) {
  console.error(message);
  process.exit(2);
}

/** @param {Record<string, string>} assets */
function makeExecutable(assets) {
  const output = join(folder, process.platform === 'win32' ? 'doi-cli.exe' : 'doi-cli');
  const main = join(scratch, 'main.js');
  const config = join(scratch, 'sea.json');
  const options = { main, output, assets, disableExperimentalSEAWarning: true, useCodeCache: true };
  writeFileSync(config, JSON.stringify(options));
  execFileSync(values.node, ['--build-sea', config], { stdio: ['ignore', 'ignore', 'inherit'] });
  // Node's own signature no longer fits, and macOS starts nothing without one.
  if (process.platform === 'darwin') execFileSync('codesign', ['--sign', '-', '--force', output]);
  return output;
}

/** Where npm has installed the keychain's library for this platform. */
function keyringFolder() {
  const scope = join(root, 'node_modules', '@napi-rs');
  const platform = `keyring-${process.platform}-${process.arch}`;
  const found = readdirSync(scope).find((name) => name.startsWith(platform));
  if (found === undefined) throw new Error(`npm has installed no ${platform}`);
  return join(scope, found);
}

/**
 * Node's own licence, which lists all parts of Node: next to the binary on Windows, else one folder
 * higher.
 */
function nodeLicence() {
  const folders = [dirname(values.node), dirname(dirname(values.node))];
  const found = folders.map((each) => join(each, 'LICENSE')).find((path) => existsSync(path));
  if (found === undefined) throw new Error(`there is no LICENSE near ${values.node}`);
  return found;
}
