// Puts the modules that every command loads into few files. Node takes a third of a millisecond or more for each
// file, and esbuild makes one for each set of modules that the same lazy parts share: at the start, a dozen.
import { readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';

/** The lazy part with the command tree, which loads every other one. */
const PROGRAM = 'src/process.ts';
/** The lazy part that opens connections, and the module of the parts that read answers: these load it, too. */
const SERVICE = 'src/cli/service.ts';
const ANSWERS = 'src/api/http/body.ts';

/**
 * Makes every lazy part import what the program imports, too, and what opens connections if it reads answers. At run
 * time that costs nothing, because both are loaded anyway; but now all parts share the same modules, so that esbuild
 * puts these into few files. The library is an entry of its own and shares them, too: it imports no more for it.
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
  // A library that is not an ES module would be run as a whole.
  const service = importsOf(inputs, SERVICE).filter((path) => path.startsWith('src/'));
  const shared = (path) =>
    importsOf(inputs, path).includes(ANSWERS) ? [...new Set([...program, ...service])] : program;
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
