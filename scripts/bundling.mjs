// How the program is bundled: as it is published, and for the single executable.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('..', import.meta.url));
export const manifest = JSON.parse(
  readFileSync(new URL('../package.json', import.meta.url), 'utf8'),
);

/** @type {import('esbuild').BuildOptions} */
export const bundling = {
  absWorkingDir: root,
  bundle: true,
  platform: 'node',
  // jsonc-parser's other form looks for its parts when it runs.
  mainFields: ['module', 'main'],
  define: {
    __DOI_CLI_VERSION__: JSON.stringify(manifest.version),
  },
  minify: true,
  legalComments: 'none',
  metafile: true,
  logLevel: 'warning',
};
