// How the program is bundled: as it is published, and for the single executable.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('..', import.meta.url));
export const manifest = JSON.parse(
  readFileSync(new URL('../package.json', import.meta.url), 'utf8'),
);

/** @type {import('esbuild').Plugin} */
const rules = {
  name: 'rules',
  setup({ onResolve }) {
    const instead = (filter, name) =>
      onResolve({ filter }, () => ({ path: fileURLToPath(new URL(name, import.meta.url)) }));
    // undici's client without proxies, fetch, caches and mocks: 63 KiB of the tarball, and a fifth
    // of the processor time of a command that sends one request.
    instead(/^undici$/, 'undici.mjs');
    // With NODE_DEBUG=undici, it would print addresses unmasked, for programs that use the library
    // too.
    instead(/\/diagnostics\.js$/, 'undici-diagnostics.cjs');
    // conf gets its folder as an option, and never calls this. It reads the home directory as soon
    // as it is loaded, which fails for a user without a name in a container.
    instead(/^env-paths$/, 'empty.mjs');
  },
};

/** @type {import('esbuild').BuildOptions} */
export const bundling = {
  absWorkingDir: root,
  bundle: true,
  platform: 'node',
  // jsonc-parser's other form looks for its parts when it runs.
  mainFields: ['module', 'main'],
  plugins: [rules],
  define: {
    __DOI_CLI_VERSION__: JSON.stringify(manifest.version),
  },
  minify: true,
  legalComments: 'none',
  metafile: true,
  logLevel: 'warning',
};
