// Bundles the program into dist/, with its manual page, and the notices and the bill of materials
// of its libraries. With --dev it also writes source maps, for `node --enable-source-maps`: npm run
// build -- --dev
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { publicDeclarations } from './api.mjs';
import { bundling, manifest, root } from './bundling.mjs';
import { manPage } from './man.mjs';
import { bundledPackages, renderNotices, renderSbom } from './notices.mjs';
import writeValidators from './validators.mjs';

const SCHEMA = 'schema/datacite-4.7.json';
const dist = join(root, 'dist');
const { packages: locked } = JSON.parse(await readFile(join(root, 'package-lock.json'), 'utf8'));
/** The packages that npm installs beside the program. */
const installed = Object.keys({ ...manifest.dependencies, ...manifest.optionalDependencies }).map(
  (name) => ({ name, ...locked[`node_modules/${name}`] }),
);
/** The paths of all files of this build. */
const written = new Set();

await writeValidators();
const { outputFiles, metafile } = await build({
  ...bundling,
  entryPoints: {
    'export-thread': 'src/harvest/export/thread.ts',
    'keychain-child': 'src/credentials/keychain-child.ts',
    library: 'src/library/index.ts',
    main: 'src/main.ts',
  },
  outdir: dist,
  splitting: true,
  chunkNames: 'chunks/[name]-[hash]',
  format: 'esm',
  target: 'node20',
  // Native bindings cannot be bundled, and WebAssembly need not be: these packages stay outside.
  external: installed.map(({ name }) => name),
  // Bundled CommonJS libraries require() Node's own modules, and an ES module has no require of its
  // own.
  banner: {
    js:
      'import{createRequire as __createRequire}from"node:module";' +
      'const require=__createRequire(import.meta.url);',
  },
  sourcemap: process.argv.includes('--dev'),
  write: false,
});
const packages = bundledPackages(metafile);

// The chunks are in place before the entries that name them: a program that starts during a build
// runs the old bundle or the new one, never half of each.
const isChunk = ({ path }) => path.startsWith(join(dist, 'chunks'));
for (const { path, contents } of outputFiles.toSorted((a, b) => isChunk(b) - isChunk(a))) {
  await write(path, contents);
}
for (const [name, text] of publicDeclarations()) await write(`types/${name}`, text);
await write(SCHEMA, await readFile(join(root, 'src/metadata', SCHEMA)));
await write('THIRD-PARTY-NOTICES.txt', renderNotices(packages));
await write('sbom.cdx.json', renderSbom(packages, installed));
const { buildProgram } = await import(pathToFileURL(join(dist, 'main.js')).href);
await write('man/doi-cli.1', await manPage(buildProgram, manifest.version));

for (const entry of await readdir(dist, { recursive: true, withFileTypes: true })) {
  const path = join(entry.parentPath, entry.name);
  // A .tmp file belongs to another build that runs at the same time.
  if (entry.isFile() && !written.has(path) && !path.endsWith('.tmp'))
    await rm(path, { force: true });
}
console.error(`built dist: ${written.size} files, ${packages.length} libraries`);

/** Writes a file of dist/, which appears complete or not at all. */
async function write(name, contents) {
  const path = name.startsWith(dist) ? name : join(dist, name);
  written.add(path);
  await mkdir(dirname(path), { recursive: true });
  await writeFile(`${path}.${process.pid}.tmp`, contents);
  await rename(`${path}.${process.pid}.tmp`, path);
}
