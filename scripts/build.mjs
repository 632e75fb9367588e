// Bundles the program into dist/, with the notices and the bill of materials of what was bundled. With --dev it writes
// source maps too, for `node --enable-source-maps`: npm run build -- --dev
import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, rename, rm, utimes, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { Duplex } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { minify } from '@swc/core';
import { build } from 'esbuild';
import { publicDeclarations } from './api.mjs';
import { commandTree, manPages } from './man.mjs';
import { bundledPackages, renderNotices, renderSbom } from './notices.mjs';
import { standIns } from './stand-ins.mjs';
import { startChunks } from './start-chunks.mjs';
import writeValidators from './validators.mjs';

// Before the time of the build, which must not be older than any source.
await writeValidators();
const started = new Date();
const PROGRAM = 'chunks/process';
const LIBRARY = 'src/core/index.ts';
// Bundled CommonJS libraries require() Node's own modules, and an ES module has no require of its own.
const REQUIRE =
  'import{createRequire as __createRequire}from"node:module";const require=__createRequire(import.meta.url);';
// The program reads it, and so do editors, which check and complete a record with it.
const SCHEMA = 'schema/datacite-4.7.json';
const development = process.argv.includes('--dev');
const root = fileURLToPath(new URL('..', import.meta.url));
const dist = join(root, 'dist');
const manifest = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));

const program = await commandTree(root, manifest, [standIns]);

const options = {
  absWorkingDir: root,
  outdir: 'dist',
  bundle: true,
  format: 'esm',
  platform: 'node',
  target: 'node20',
  // Native bindings cannot be bundled, so their packages stay outside of the program.
  external: Object.keys({ ...manifest.dependencies, ...manifest.optionalDependencies }),
  plugins: [standIns],
  define: {
    __DOI_CLI_VERSION__: JSON.stringify(manifest.version),
    __DOI_CLI_HOMEPAGE__: JSON.stringify(manifest.homepage),
  },
  // With --dev, source maps count the characters of a line.
  banner: development ? { js: REQUIRE } : {},
  // With --dev, stack traces have the names of the sources.
  minify: true,
  legalComments: 'none',
  sourcemap: development,
  metafile: true,
  write: false,
  logLevel: 'warning',
};
const parts = {
  ...options,
  entryPoints: { [PROGRAM]: 'src/process.ts', library: LIBRARY },
  chunkNames: 'chunks/[name]-[hash]',
  splitting: true,
  // Long names of members that these libraries use on their own objects alone.
  mangleProps: new RegExp(`^(${(await ownNames('commander/lib', 'conf/dist/source')).join('|')})$`),
};
// The first pass tells which modules belong to the start.
const { metafile } = await build(parts);
const start = startChunks(metafile, root, LIBRARY);
const lazy = await build({ ...parts, plugins: [standIns, start, { name: 'schema', setup: schemaFile }] });
// Files of their own, so that the program says its version before it loads anything else.
const child = await build({
  ...options,
  entryPoints: { 'keychain-child': 'src/credentials/keychain-child.ts' },
});
const entry = await build({
  ...options,
  entryPoints: { main: 'src/main.ts' },
  format: 'cjs',
  outExtension: { '.js': '.cjs' },
  banner: {},
  define: { ...options.define, __DOI_CLI_HELP__: JSON.stringify(program.createHelp().partsOf(program)) },
  plugins: [{ name: 'program', setup: externalProgram }],
});
const renamed = shortNames(lazy.outputFiles);
const outputs = [...lazy.outputFiles, ...child.outputFiles, ...entry.outputFiles];
const result = {
  outputs: { ...lazy.metafile.outputs, ...child.metafile.outputs, ...entry.metafile.outputs },
};

const { packages: locked } = JSON.parse(await readFile(join(root, 'package-lock.json'), 'utf8'));
const optional = Object.keys(manifest.optionalDependencies).map((name) => ({
  name,
  ...locked[`node_modules/${name}`],
}));
const packages = await bundledPackages(result, root);
const files = new Map(
  await Promise.all(
    outputs.map(async (file) =>
      development ? [file.path, file.contents] : [renamed(file.path), await small(file)],
    ),
  ),
);
files.set(join(dist, 'THIRD-PARTY-NOTICES.txt'), renderNotices(packages));
files.set(join(dist, 'sbom.cdx.json'), renderSbom(manifest, packages, optional));
for (const [name, text] of publicDeclarations()) files.set(join(dist, 'types', name), text);
const schema = JSON.parse(await readFile(join(root, 'src/metadata', SCHEMA), 'utf8'));
files.set(join(dist, SCHEMA), JSON.stringify(schema));

for (const [name, page] of manPages(program, manifest.version)) files.set(join(dist, 'man', name), page);

// The chunks are in place before the entries that name them, and each file appears complete or not at all:
// a program that starts during a build runs the old bundle or the new one, never half of each.
const last = ['library.js', `${PROGRAM}.js`, 'main.cjs'].map((name) => join(dist, name));
for (const path of [...files.keys()].sort((a, b) => last.indexOf(a) - last.indexOf(b))) {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(`${path}.${process.pid}.tmp`, files.get(path));
  // As old as the sources it is made of: one that changes during the build is newer.
  await utimes(`${path}.${process.pid}.tmp`, started, started);
  await rename(`${path}.${process.pid}.tmp`, path);
}
for (const entry of await readdir(dist, { recursive: true, withFileTypes: true })) {
  const path = join(entry.parentPath, entry.name);
  // A .tmp file belongs to another build that runs at the same time.
  if (entry.isFile() && !files.has(path) && !path.endsWith('.tmp')) await rm(path, { force: true });
}

const bytes = [...files.values()].reduce((sum, contents) => sum + contents.length, 0);
console.error(
  `built ${relative(process.cwd(), dist)}: ${files.size} files, ${Math.round(bytes / 1024)} KiB, ${packages.length} libraries`,
);

/** Leaves the program out of a file, which imports it from where it will be. */
function externalProgram({ onResolve }) {
  onResolve({ filter: /^\.\/process\.ts$/ }, () => ({ path: `./${PROGRAM}.js`, external: true }));
}

/** The names in the files of folders of libraries that begin with an underscore. */
async function ownNames(/** @type {string[]} */ ...folders) {
  const sources = folders.map(async (folder) => {
    const path = join(root, 'node_modules', folder);
    const names = (await readdir(path)).filter((name) => name.endsWith('.js'));
    return Promise.all(names.map((name) => readFile(join(path, name), 'utf8')));
  });
  const text = (await Promise.all(sources)).flat().join();
  // Node calls a stream's own.
  return [...new Set(text.match(/\b_[a-z]\w*/gi))].filter((name) => !(name in Duplex.prototype));
}

/** Reads the schema from the file that the package contains anyway. Where that is missing, the error is that of a chunk. */
function schemaFile({ onLoad }) {
  onLoad({ filter: /[\\/]datacite-4\.7\.json$/ }, () => ({
    contents: `import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
const path = fileURLToPath(new URL('../${SCHEMA}', import.meta.url));
let schema;
try {
  schema = JSON.parse(readFileSync(path, 'utf8'));
} catch (cause) {
  throw Object.assign(new Error('cannot read ' + path, { cause }), { code: 'ERR_MODULE_NOT_FOUND' });
}
export default schema;`,
  }));
}

/**
 * Shorter names of chunks, which put files of one size next to each other: an archive compresses these better than
 * files in the order of their hashes. All have the digest of the whole build, since a chunk also changes when one that
 * it imports gets another name: so a program that starts during a build does not load half of each.
 *
 * @param {readonly import('esbuild').OutputFile[]} files
 * @returns {(text: string) => string} replaces all names in a text
 */
function shortNames(files) {
  const digest = createHash('sha256');
  for (const { hash } of files) digest.update(hash);
  const build = digest.digest('hex').slice(0, 5);
  const names = new Map();
  for (const { path } of files.toSorted((a, b) => b.text.length - a.text.length)) {
    const [name, part] = /([\w-]+)-[A-Z0-9]{8}\.js$/.exec(path) ?? [];
    if (name === undefined) continue;
    names.set(name, `${String(names.size).padStart(2, '0')}-${part}-${build}.js`);
  }
  return (text) => text.replace(/[\w-]+-[A-Z0-9]{8}\.js/g, (name) => names.get(name) ?? name);
}

/** The code, minified once more: it compresses better by a twenty-fourth of the tarball. */
async function small(/** @type {import('esbuild').OutputFile} */ { path, text }) {
  const isModule = path.endsWith('.js');
  const { code } = await minify(renamed(text), {
    module: isModule,
    ecma: 2022,
    compress: { passes: 3 },
    mangle: true,
  });
  return Buffer.from(isModule && /\brequire\b/.test(code) ? `${REQUIRE}${code}` : code);
}
