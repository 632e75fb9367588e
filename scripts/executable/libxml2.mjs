import { build } from 'esbuild';
import { bundling } from '../bundling.mjs';

const ENTRY = `export * as library from 'libxml2-wasm';
export * as internals from 'libxml2-wasm/lib/libxml2.mjs';`;

/**
 * Puts libxml2-wasm into a CommonJS module. It is an ES module that waits for its WebAssembly,
 * which CommonJS cannot express, so that all of it becomes an async function; import() of it
 * resolves to an object whose `then` waits for that function.
 *
 * @type {import('esbuild').Plugin}
 */
export const libxml2 = {
  name: 'libxml2',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^libxml2-wasm/ }, ({ path }) => ({ path, namespace: 'libxml2' }));
    onResolve({ filter: /^libxml2$/, namespace: 'libxml2' }, () => ({
      path: 'all',
      namespace: 'libxml2',
    }));
    onLoad({ filter: /./, namespace: 'libxml2' }, async ({ path }) => {
      if (path === 'all') return { contents: await asFunction() };
      const part = path === 'libxml2-wasm' ? 'library' : 'internals';
      const contents = `import ready from 'libxml2';
export const then = (resolve, reject) => ready().then((all) => resolve(all.${part}), reject);`;
      return { contents };
    });
  },
};

async function asFunction() {
  const { outputFiles } = await build({
    ...bundling,
    stdin: { contents: ENTRY, resolveDir: bundling.absWorkingDir },
    format: 'esm',
    write: false,
    // It asks only where its file is, and needs no file.
    define: { 'globalThis.process': 'undefined', 'import.meta.url': '"file:///"' },
  });
  const code = outputFiles[0].text.replace(/export\s*\{([^}]*)\};?\s*$/, (_, names) => {
    const members = names.replace(/(\w+) as (\w+)/g, '$2: $1');
    return `return { ${members} };`;
  });
  return `let ready; export default () => (ready ??= all());\nasync function all() {${code}}`;
}
