// Makes one executable of the program and Node, for machines without Node:
// node scripts/executable.mjs <folder> [--node <binary of Node 26 or newer>]
// It is for the platform of that Node, which is the one that runs this unless another is named.
import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
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
  fail(`error: Node ${runtime} cannot make it: run this with Node 26 or newer, or name one with --node`);
}
const keyring = fileURLToPath(new URL('executable/keyring.mjs', import.meta.url));
const scratch = mkdtempSync(join(tmpdir(), 'doi-cli-executable-'));

/** @type {import('esbuild').Plugin} */
const embeddedKeyring = {
  name: 'embedded-keyring',
  setup({ onResolve }) {
    onResolve({ filter: /^@napi-rs\/keyring$/ }, () => ({ path: keyring }));
  },
};

try {
  mkdirSync(folder, { recursive: true });
  await writeValidators();
  const program = await bundle('scripts/executable/entry.mjs', 'main.cjs');
  const child = await bundle('src/credentials/keychain-child.ts', 'keychain-child.cjs');
  const executable = makeExecutable(join(scratch, 'main.cjs'), {
    'keychain-child': join(scratch, 'keychain-child.cjs'),
    'keyring.node': binding().library,
  });
  const packages = new Map(
    [...(await bundledPackages(program, root)), ...(await bundledPackages(child, root))].map((each) => [
      `${each.name}@${each.version}`,
      each,
    ]),
  );
  writeFileSync(join(folder, 'THIRD-PARTY-NOTICES.txt'), renderNotices([...packages.values()]));
  copyFileSync(join(root, 'LICENSE'), join(folder, 'LICENSE'));
  copyFileSync(binding().licences, join(folder, 'LICENSE-KEYRING.md'));
  copyFileSync(nodeLicence(), join(folder, 'LICENSE-NODE'));
  const told = execFileSync(executable, ['--version'], { encoding: 'utf8' });
  if (told !== `${manifest.version}\n`)
    throw new Error(`${executable} --version prints ${JSON.stringify(told)}`);
  console.error(`executable: ${executable}`);
} finally {
  rmSync(scratch, { recursive: true, force: true });
}

/** @param {string} message */
function fail(message) {
  console.error(message);
  process.exit(2);
}

/**
 * Bundles an entry with its lazy parts into one file.
 *
 * @param {string} entry
 * @param {string} name
 */
async function bundle(entry, name) {
  const { metafile } = await build({
    ...bundling,
    entryPoints: [entry],
    outfile: join(scratch, name),
    // Node keeps compiled code only for this format.
    format: 'cjs',
    target: 'node26',
    supported: { 'dynamic-import': false },
    plugins: [...bundling.plugins, embeddedKeyring],
    // The addresses of files next to the program, which nothing asks for here.
    logOverride: { 'empty-import-meta': 'silent' },
  });
  return metafile;
}

/**
 * @param {string} main
 * @param {Record<string, string>} assets
 */
function makeExecutable(main, assets) {
  const output = join(folder, process.platform === 'win32' ? 'doi-cli.exe' : 'doi-cli');
  const config = join(scratch, 'sea.json');
  const options = { main, output, assets, disableExperimentalSEAWarning: true, useCodeCache: true };
  writeFileSync(config, JSON.stringify(options));
  execFileSync(values.node, ['--build-sea', config], { stdio: ['ignore', 'ignore', 'inherit'] });
  // Node's own signature no longer fits, and macOS starts nothing without one.
  if (process.platform === 'darwin') execFileSync('codesign', ['--sign', '-', '--force', output]);
  return output;
}

/** The keychain's library for this platform, as npm has installed it, and the licences of what is in it. */
function binding() {
  const scope = join(root, 'node_modules', '@napi-rs');
  const platform = `keyring-${process.platform}-${process.arch}`;
  const found = readdirSync(scope).find((name) => name.startsWith(platform));
  if (found === undefined) throw new Error(`npm has installed no ${platform}`);
  const library = readdirSync(join(scope, found)).find((name) => name.endsWith('.node'));
  return {
    library: join(scope, found, library),
    licences: join(scope, found, 'LICENSE.third-party.md'),
  };
}

/** Node's own licence, which names all that is in Node: next to the binary on Windows, else one folder higher. */
function nodeLicence() {
  const folders = [dirname(values.node), dirname(dirname(values.node))];
  const found = folders.find((each) => readdirSync(each).includes('LICENSE'));
  if (found === undefined) throw new Error(`there is no LICENSE near ${values.node}`);
  return join(found, 'LICENSE');
}
