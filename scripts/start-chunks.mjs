// Puts the modules that every command loads into few files. Node takes a third of a millisecond or more for each
// file, and esbuild makes one for each set of modules that the same lazy parts share: at the start, a dozen.
import { readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';

/** The lazy part with the command tree, which loads every other one. */
const PROGRAM = 'src/process.ts';

/**
 * Makes every lazy part import what the program imports, too. At run time that costs nothing, because the program has
 * loaded it; but now all parts share the same modules, so that esbuild puts these into one file.
 *
 * @param {import('esbuild').Metafile} metafile of the same build without this plugin
 * @param {string} root the project's directory
 * @param {readonly string[]} entries the files that the build starts from
 * @returns {import('esbuild').Plugin}
 */
export function startChunks({ inputs, outputs }, root, entries) {
  const lazy = Object.values(outputs)
    .map(({ entryPoint }) => entryPoint)
    .filter((path) => path !== undefined && path !== PROGRAM && !entries.includes(path));
  const paths = new Set(lazy.map((path) => join(root, path)));
  const imports = importsOf(inputs, PROGRAM).map((path) => `import ${JSON.stringify(join(root, path))};\n`);
  return {
    name: 'start-chunks',
    setup({ onLoad }) {
      onLoad({ filter: /\.(ts|m?js)$/ }, async ({ path }) => {
        if (!paths.has(path)) return undefined;
        const own = await readFile(path, 'utf8');
        return { contents: `${own}\n${imports.join('')}`, loader: extname(path) === '.ts' ? 'ts' : 'js' };
      });
    },
  };
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
