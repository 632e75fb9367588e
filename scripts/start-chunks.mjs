// Puts modules that are loaded together into few files. Node takes a third of a millisecond or more for each file, in
// which it reads tens of kilobytes of code, and esbuild makes one file for each lazy part, and one for each set of
// modules that the same lazy parts share.
import { readFile } from 'node:fs/promises';
import { extname, join, relative } from 'node:path';

/** The entry of the program, with the command tree, which loads every lazy part. */
const PROGRAM = 'src/process.ts';

/** Lazy parts that share most of their code, or are loaded together: one file each. */
const FAMILIES = {
  auth: /^src\/commands\/auth\//,
  keys: /^src\/commands\/keys\//,
  datafile: /^src\/commands\/datafile\//,
  mds: /^src\/commands\/mds\//,
  emulator: /^src\/commands\/emulator\//,
  completion: /^src\/(commands\/completion\/|cli\/wrong-command-line)/,
  record: /^src\/commands\/dois\/(get|url|history|web-page|record\/view)\.ts$/,
  list: /^src\/(commands\/dois\/(list\/list|stats\/|harvest\/)|ui\/bars)/,
  write: /^src\/commands\/dois\/write\//,
};
const NAMESPACE = 'family';

/** Modules in smaller files than this belong to the start: opening one takes longer than reading all of them. */
const SMALL_BYTES = 7000;

/**
 * Makes a family one lazy part, which exports what its members do, and adds small shared modules to the program.
 *
 * Makes every lazy part import what the program imports, too. At run time that costs nothing, because the program has
 * loaded it; but now all parts share the same modules, so that esbuild puts these into one file.
 *
 * @param {import('esbuild').Metafile} metafile of the same build without this plugin
 * @param {string} root the project's directory
 * @param {string} library an entry of its own, which shares the modules that it needs, and imports no more
 * @returns {import('esbuild').Plugin}
 */
export function startChunks({ inputs, outputs }, root, library) {
  const parts = Object.values(outputs).filter(
    ({ entryPoint: path }) => path !== undefined && path !== PROGRAM && path !== library,
  );
  const members = new Map();
  for (const { entryPoint: path, exports } of parts) {
    const family = Object.keys(FAMILIES).find((name) => FAMILIES[name].test(path));
    if (family !== undefined) members.set(family, [...(members.get(family) ?? []), { path, exports }]);
  }
  const few = Object.keys(FAMILIES).find((name) => (members.get(name)?.length ?? 0) < 2);
  if (few !== undefined) throw new Error(`the family ${few} has fewer than two lazy parts`);
  const alone = new Set(
    [PROGRAM, ...parts.map(({ entryPoint }) => entryPoint)].map((path) => join(root, path)),
  );
  const program = importsOf(inputs, PROGRAM);
  const imports = [...program, ...smallModules(inputs, outputs, program)]
    .map((path) => `import ${JSON.stringify(join(root, path))};\n`)
    .join('');
  return {
    name: 'start-chunks',
    setup({ onResolve, onLoad }) {
      onResolve({ filter: /^\..*\.ts$/ }, ({ kind, path, resolveDir }) => {
        if (kind !== 'dynamic-import') return undefined;
        const file = relative(root, join(resolveDir, path)).replaceAll('\\', '/');
        const family = [...members].find(([, each]) => each.some((member) => member.path === file));
        return family && { path: family[0], namespace: NAMESPACE };
      });
      onLoad({ filter: /./, namespace: NAMESPACE }, ({ path }) => ({
        contents: together(members.get(path), root) + imports,
        resolveDir: root,
      }));
      onLoad({ filter: /\.(ts|m?js)$/ }, async ({ path }) => {
        if (!alone.has(path)) return undefined;
        const own = await readFile(path, 'utf8');
        return { contents: `${own}\n${imports}`, loader: extname(path) === '.ts' ? 'ts' : 'js' };
      });
    },
  };
}

/** A module with the exports of a family. */
function together(members, root) {
  const names = members.flatMap(({ exports }) => exports);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) throw new Error(`lazy parts of one family export the same name: ${twice}`);
  return members
    .map(({ path, exports }) => `export { ${exports.join()} } from ${JSON.stringify(join(root, path))};\n`)
    .join('');
}

/** Small modules that lazy parts share, whose own imports are in the program, small or loaded by it. */
function smallModules(inputs, outputs, program) {
  let small = Object.values(outputs)
    .filter(({ entryPoint, bytes }) => entryPoint === undefined && bytes < SMALL_BYTES)
    .flatMap((output) => Object.keys(output.inputs));
  // Node has loaded these.
  const builtins = new Set([
    'node:buffer',
    'node:stream',
    ...program.flatMap((path) => builtinsOf(inputs[path])),
  ]);
  for (;;) {
    const known = new Set([...program, ...small]);
    const fit = small.filter(
      (path) =>
        importsOf(inputs, path).every((each) => known.has(each)) &&
        builtinsOf(inputs[path]).every((each) => builtins.has(each)),
    );
    // Ours bring the libraries with them.
    if (fit.length === small.length) return small.filter((path) => !path.startsWith('node_modules/'));
    small = fit;
  }
}

/** The modules of Node that a module imports statically. */
function builtinsOf({ imports }) {
  return imports
    .filter(({ external, kind }) => external && kind === 'import-statement')
    .map(({ path }) => path);
}

/** The modules that a module imports statically, directly or through others. */
function importsOf(inputs, from, found = new Set()) {
  for (const { path, kind, external } of inputs[from].imports) {
    if (external || !/^(import-statement|require-call)$/.test(kind) || found.has(path)) continue;
    found.add(path);
    importsOf(inputs, path, found);
  }
  return [...found];
}
