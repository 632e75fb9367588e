// What the bundle contains instead of some parts of libraries.
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync } from 'node:zlib';

const neighbour = (name) => fileURLToPath(new URL(name, import.meta.url));

/** Parts that the program never calls, by the name in an import. */
const ABSENT = [
  // conf uses them for schemas and for migrations. Settings have a check of their own, and no migrations.
  /^ajv\/dist\/2020\.js$/,
  /^ajv-formats$/,
  /^semver$/,
  // conf is given its folder. The original asks for the home directory as soon as it is loaded: a user without a name
  // in a container has none.
  /^env-paths$/,
  // conf is not asked to watch its file, to encrypt it, or to keep it as bytes.
  /^debounce-fn$/,
  /^uint8array-extras$/,
  // The program makes its own suggestions.
  /^\.\/suggestSimilar$/,
  // ora prints its symbols when a spinner ends with a line, which none does here.
  /^log-symbols$/,
  // The program sends texts over HTTP/1.1, through HTTP proxies: no forms, no HTTP/2, no SOCKS.
  /\/web\/fetch\/body\.js$/,
  /\/client-h2\.js$/,
  /\/socks5-proxy-agent$/,
];

/** Libraries of which a neighbour of this file contains what is used; it says why. */
const REPLACED = 'undici when-exit cli-spinners chalk dot-prop restore-cursor'.split(' ');

/** @type {import('esbuild').Plugin} */
export const standIns = {
  name: 'stand-ins',
  setup({ onResolve, onLoad }) {
    for (const filter of ABSENT) onResolve({ filter }, () => ({ path: neighbour('absent.cjs') }));
    // commander starts other programs for commands that are files of their own. Loading this takes a millisecond.
    onResolve({ filter: /^node:child_process$/ }, ({ importer }) =>
      /[\\/]commander[\\/]/.test(importer) ? { path: neighbour('absent.cjs') } : undefined,
    );
    onResolve({ filter: /^node:process$/ }, ({ kind }) =>
      kind === 'import-statement' ? { path: neighbour('process.mjs') } : undefined,
    );
    for (const name of REPLACED) {
      onResolve({ filter: new RegExp(`^${name}$`) }, () => ({ path: neighbour(`${name}.mjs`) }));
    }
    onResolve({ filter: /^string-width$/ }, () => ({ path: neighbour('string-width.cjs') }));
    onResolve({ filter: /^cli-table3\/string-width$/ }, () => ({
      path: createRequire(createRequire(import.meta.url).resolve('cli-table3')).resolve('string-width'),
    }));
    // undici brings its parser of headers twice. The one that asks nothing of the processor is enough: headers
    // are a few lines for each megabyte.
    onResolve({ filter: /\/llhttp_simd-wasm\.js$/ }, ({ path, resolveDir }) => ({
      path: join(resolveDir, path.replace('_simd', '')),
    }));
    onLoad({ filter: /[\\/]llhttp-wasm\.js$/ }, async ({ path }) => ({
      contents: packed(await readFile(path, 'utf8')),
    }));
    // With NODE_DEBUG=undici it would print addresses unmasked, also for programs that use the library.
    onLoad({ filter: /[\\/]undici[\\/]lib[\\/]core[\\/]diagnostics\.js$/ }, ({ path }) => {
      const { channels } = createRequire(import.meta.url)(path);
      const names = Object.keys(channels).map((name) => `${name}: none`);
      return {
        contents: `const none = { hasSubscribers: false }; module.exports = { channels: { ${names} } };`,
      };
    });
    // The tables of all methods and statuses, of which undici asks for two.
    onLoad({ filter: /[\\/]llhttp[\\/]constants\.js$/ }, async ({ path }) => {
      const { ERROR, TYPE } = createRequire(import.meta.url)(path);
      return { contents: `module.exports = ${JSON.stringify({ ERROR, TYPE })};` };
    });
  },
};

/** The module that undici reads its parser from, with the same bytes in a third of the package's bytes. */
function packed(/** @type {string} */ source) {
  const base64 = /'([A-Za-z0-9+/=]{1000,})'/.exec(source)?.[1];
  if (base64 === undefined) throw new Error('undici has its parser in another form');
  const text = brotliCompressSync(Buffer.from(base64, 'base64')).toString('base64');
  return `module.exports = require('node:zlib').brotliDecompressSync(Buffer.from('${text}', 'base64'));`;
}
