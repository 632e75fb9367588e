// The third-party parts of the bundle: the licence texts that it must carry, and a bill of
// materials.
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import semver from 'semver';
import { manifest, root } from './bundling.mjs';

/**
 * Licences whose only condition is that their text is included. A licence that asks for more
 * (Apache-2.0: the NOTICE file too) is added here together with the code that fulfils it.
 */
const ALLOWED = new Set(['0BSD', 'BlueOak-1.0.0', 'BSD-2-Clause', 'BSD-3-Clause', 'ISC', 'MIT']);

/**
 * undici's HTTP parser, which no package.json describes. deps/llhttp/include/llhttp.h in undici's
 * sources has the version of the file with this digest; the version of any other file is unknown.
 */
const LLHTTP = {
  file: 'lib/llhttp/llhttp-wasm.js',
  sha256: '344f7ae80c983694372d9234584a1261ef5492ab219d6e573e933f5d1c715b00',
  version: '9.3.0',
};

/** The source and the licence of the XML Schema. */
const SCHEMA = join(root, 'src/metadata/schema/kernel-4.7/README.md');

/**
 * @typedef {{ name: string, version?: string, license: string, text: string, purl?: string }}
 * BundledPackage
 */

/**
 * The npm packages with at least one byte in the bundle, sorted by name and version.
 *
 * @param {import('esbuild').Metafile} metafile
 * @returns {BundledPackage[]}
 * @throws {Error} when a package needs a newer Node than the program promises, has no licence text,
 *   or a licence that is not allowed
 */
export function bundledPackages(metafile) {
  const inputs = Object.values(metafile.outputs).flatMap((output) => Object.entries(output.inputs));
  const folders = inputs.flatMap(([path, { bytesInOutput }]) =>
    bytesInOutput > 0 ? (/^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0] ?? []) : [],
  );
  const found = [...new Set(folders)].map((folder) => join(root, folder)).flatMap(packagesIn);
  return found.sort((a, b) => (`${a.name}@${a.version}` < `${b.name}@${b.version}` ? -1 : 1));
}

function packagesIn(/** @type {string} */ folder) {
  const read = (/** @type {string} */ name) => readFileSync(join(folder, name), 'utf8');
  const { name, version, license, engines } = JSON.parse(read('package.json'));
  const fail = (/** @type {string} */ problem) => {
    throw new Error(`${name}@${version} ${problem}`);
  };
  const { node } = manifest.engines;
  if (!semver.subset(node, engines?.node ?? '*'))
    fail(`needs Node ${engines.node}, the program promises ${node}`);
  if (!ALLOWED.has(license))
    fail(`has the licence ${license}, which is not on the list of allowed ones`);
  const file = readdirSync(folder).find((entry) => /^licen[cs]e\b/i.test(entry));
  if (file === undefined) fail('has no licence text');
  const text = read(file).replaceAll('\r\n', '\n').trim();
  const described = { name, version, license, text };
  return name === 'undici' ? [described, llhttp(read(LLHTTP.file))] : [described];
}

function llhttp(/** @type {string} */ code) {
  const isKnown = createHash('sha256').update(code).digest('hex') === LLHTTP.sha256;
  if (!isKnown) console.error('notices: this version of llhttp is unknown (scripts/notices.mjs)');
  const version = isKnown ? LLHTTP.version : undefined;
  const text = readFileSync(new URL('llhttp-license.txt', import.meta.url), 'utf8').trim();
  const purl = `pkg:github/nodejs/llhttp${isKnown ? `@v${version}` : ''}`;
  return { name: 'llhttp', version, license: 'MIT', text, purl };
}

/** @param {BundledPackage[]} packages */
export function renderNotices(packages) {
  const sections = packages.map(({ name, version, license, text }) => {
    const head = [name, version, `(${license})`].filter((word) => word !== undefined).join(' ');
    return `${'='.repeat(80)}\n${head}\n\n${text}\n`;
  });
  const intro = 'doi-cli contains code of these packages, each under the licence below its name.\n';
  return [intro, ...sections, `${'='.repeat(80)}\n${readFileSync(SCHEMA, 'utf8')}`].join('\n');
}

/**
 * CycloneDX 1.6, without a time stamp and a serial number, so that the same sources give the same
 * file.
 *
 * @param {BundledPackage[]} packages
 * @param {{ name: string, version: string, license: string, optional?: boolean }[]} installed
 *   packages that npm installs next to the program
 */
export function renderSbom(packages, installed) {
  const components = [
    ...packages.map((bundled) => component('library', bundled)),
    ...installed.map((each) => ({
      ...component('library', each),
      scope: each.optional ? 'optional' : 'required',
    })),
  ];
  const metadata = { component: component('application', manifest) };
  const bom = { bomFormat: 'CycloneDX', specVersion: '1.6', version: 1, metadata, components };
  return `${JSON.stringify(bom)}\n`;
}

function component(type, { name, version, license, purl }) {
  const address = purl ?? `pkg:npm/${name.replace('@', '%40')}@${version}`;
  return {
    type,
    'bom-ref': address,
    name,
    version,
    licenses: [{ license: { id: license } }],
    purl: address,
  };
}
