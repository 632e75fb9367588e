// What the bundle contains instead of some parts of libraries.
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

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
  // The program sends texts over HTTP/1.1, through HTTP proxies: no forms, no HTTP/2, no SOCKS.
  /\/web\/fetch\/body\.js$/,
  /\/client-h2\.js$/,
  /\/socks5-proxy-agent$/,
];

/** @type {import('esbuild').Plugin} */
export const standIns = {
  name: 'stand-ins',
  setup({ onResolve }) {
    for (const filter of ABSENT) onResolve({ filter }, () => ({ path: neighbour('absent.cjs') }));
    // commander starts other programs for commands that are files of their own. Loading this takes a millisecond.
    onResolve({ filter: /^node:child_process$/ }, ({ importer }) =>
      /[\\/]commander[\\/]/.test(importer) ? { path: neighbour('absent.cjs') } : undefined,
    );
    onResolve({ filter: /^node:process$/ }, ({ kind }) =>
      kind === 'import-statement' ? { path: neighbour('process.mjs') } : undefined,
    );
    for (const name of ['undici', 'when-exit', 'cli-spinners']) {
      onResolve({ filter: new RegExp(`^${name}$`) }, () => ({ path: neighbour(`${name}.mjs`) }));
    }
    // undici brings its parser of headers twice. The one that asks nothing of the processor is enough: headers
    // are a few lines for each megabyte, and each costs a sixteenth of the package.
    onResolve({ filter: /\/llhttp_simd-wasm\.js$/ }, ({ path, resolveDir }) => ({
      path: join(resolveDir, path.replace('_simd', '')),
    }));
  },
};
