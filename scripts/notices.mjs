// The third-party parts of the bundle: the licence texts that it must carry, and a bill of materials.
import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import semver from 'semver';

/**
 * Licences whose only condition is that their text is included. A licence that asks for more
 * (Apache-2.0: the NOTICE file too) is added here together with the code that fulfils it.
 */
const ALLOWED = new Set(['0BSD', 'BlueOak-1.0.0', 'BSD-2-Clause', 'BSD-3-Clause', 'ISC', 'MIT']);

/**
 * @typedef {{ name: string, version?: string, license: string, engine?: string, text: string, purl?: string }} BundledPackage
 */

/**
 * undici's parser of HTTP, which no package.json describes. The version is that of the file with this digest, by
 * deps/llhttp/include/llhttp.h in undici's sources; it is unknown of another file.
 */
const LLHTTP = {
  file: 'lib/llhttp/llhttp-wasm.js',
  sha256: '344f7ae80c983694372d9234584a1261ef5492ab219d6e573e933f5d1c715b00',
  version: '9.3.0',
};

/**
 * The npm packages with at least one byte in the bundle, sorted by name and version.
 *
 * @param {import('esbuild').Metafile} metafile with paths relative to `root`
 * @param {string} root the project's directory
 * @returns {Promise<BundledPackage[]>}
 * @throws {Error} when a package has no licence text, or a licence that is not allowed
 */
export async function bundledPackages(metafile, root) {
  const directories = new Set();
  for (const { inputs } of Object.values(metafile.outputs)) {
    for (const [path, { bytesInOutput }] of Object.entries(inputs)) {
      const directory = /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0];
      if (directory && bytesInOutput > 0) directories.add(directory);
    }
  }
  const found = new Map();
  for (const directory of directories) {
    const bundled = await describe(join(root, directory));
    found.set(`${bundled.name}@${bundled.version}`, bundled);
    if (bundled.name === 'undici') found.set('llhttp', await describeLlhttp(join(root, directory)));
  }
  return [...found].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, bundled]) => bundled);
}

/**
 * @param {BundledPackage[]} packages
 * @param {string} ours the versions of Node that the program promises to run on
 * @throws {Error} when a package does not run on all of them
 */
export function requireEngines(packages, ours) {
  for (const { name, engine = '*' } of packages) {
    if (!semver.subset(ours, engine))
      throw new Error(`${name} needs Node ${engine}, and the program promises ${ours}`);
  }
}

async function describeLlhttp(directory) {
  const code = await readFile(join(directory, LLHTTP.file));
  const isKnown = createHash('sha256').update(code).digest('hex') === LLHTTP.sha256;
  if (!isKnown) console.error('notices: this version of llhttp is unknown (scripts/notices.mjs)');
  const version = isKnown ? LLHTTP.version : undefined;
  const text = await readFile(new URL('llhttp-license.txt', import.meta.url), 'utf8');
  const purl = `pkg:github/nodejs/llhttp${isKnown ? `@v${version}` : ''}`;
  return { name: 'llhttp', version, license: 'MIT', text: text.trim(), purl };
}

/** @param {string} directory */
async function describe(directory) {
  const { name, version, license, engines } = JSON.parse(
    await readFile(join(directory, 'package.json'), 'utf8'),
  );
  if (!ALLOWED.has(license))
    throw new Error(`${name}@${version}: licence ${license} is not on the list of allowed ones`);
  const file = (await readdir(directory)).sort().find((entry) => /^licen[cs]e\b/i.test(entry));
  if (!file) throw new Error(`${name}@${version}: no licence text in ${directory}`);
  const text = (await readFile(join(directory, file), 'utf8')).replaceAll('\r\n', '\n').trim();
  return { name, version, license, engine: engines?.node, text };
}

/** @param {BundledPackage[]} packages */
export function renderNotices(packages) {
  const intro =
    'doi-cli contains code of the following packages, under the licence that is printed below their names.';
  const sections = packages.map(
    ({ name, version = '', license, text }) =>
      `${'='.repeat(80)}\n${[name, version].join(' ').trim()} (${license})\n\n${text}`,
  );
  return `${[intro, ...sections].join('\n\n')}\n`;
}

/**
 * CycloneDX 1.6, without a time stamp and a serial number, so that the same sources give the same file.
 *
 * @param {{ name: string, version: string, license: string }} manifest
 * @param {BundledPackage[]} packages
 * @param {{ name: string, version: string, license: string }[]} optional packages that npm installs next to the program
 */
export function renderSbom(manifest, packages, optional) {
  const sbom = {
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    metadata: { component: component('application', manifest) },
    components: [
      ...packages.map((bundled) => component('library', bundled)),
      ...optional.map((each) => ({ ...component('library', each), scope: 'optional' })),
    ],
  };
  return `${JSON.stringify(sbom)}\n`;
}

/**
 * @param {'application' | 'library'} type
 * @param {{ name: string, version?: string, license: string, purl?: string }} of
 */
function component(
  type,
  { name, version, license, purl = `pkg:npm/${name.replace('@', '%40')}@${version}` },
) {
  return { type, 'bom-ref': purl, name, version, licenses: [{ license: { id: license } }], purl };
}
