// Puts the modules that every command loads into few files. Node takes a third of a millisecond or more for each
// file, and esbuild makes one for each set of modules that the same lazy parts share: at the start, a dozen.
import { readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';

/** The lazy part with the command tree, which loads every other one. */
const PROGRAM = 'src/process.ts';
/** Parts that import the first module load the second one anyway, or nearly all of what it imports. */
const COMPANIONS = [
  ['src/api/http/body.ts', 'src/cli/service.ts'],
  ['src/api/dois.ts', 'src/api/account.ts'],
  ['src/harvest/page/fetch-page.ts', 'src/library/list.ts'],
];

/**
 * Makes every lazy part import what the program imports, too, and what the companions of its modules import. At run
 * time that costs next to nothing, because they are loaded anyway; but now many parts share the same modules, so that
 * esbuild puts these into few files. The library is an entry of its own and shares them, too: it imports no more for it.
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
  const program = importsOf(inputs, PROGRAM);
  const shared = (path) => {
    const own = importsOf(inputs, path);
    const companions = COMPANIONS.filter(([module]) => own.includes(module)).flatMap(([, companion]) => [
      companion,
      // A library that is not an ES module would be run as a whole.
      ...importsOf(inputs, companion).filter((path) => path.startsWith('src/')),
    ]);
    return [...new Set([...program, ...companions])].filter((other) => other !== path);
  };
  const statement = (path) => `import ${JSON.stringify(join(root, path))};\n`;
  const added = new Map(lazy.map((path) => [join(root, path), shared(path).map(statement).join('')]));
  return {
    name: 'start-chunks',
    setup({ onLoad }) {
      onLoad({ filter: /\.(ts|m?js)$/ }, async ({ path }) => {
        if (!added.has(path)) return undefined;
        const own = await readFile(path, 'utf8');
        return { contents: `${own}\n${added.get(path)}`, loader: extname(path) === '.ts' ? 'ts' : 'js' };
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
