import { readFileSync } from 'node:fs';

declare const __DOI_CLI_VERSION__: string | undefined;
declare const __DOI_CLI_HOMEPAGE__: string | undefined;

/** What the build fixes, read from package.json when the sources run unbundled. */
const MANIFEST: { readonly version: string; readonly homepage: string } =
  typeof __DOI_CLI_VERSION__ === 'string' && typeof __DOI_CLI_HOMEPAGE__ === 'string'
    ? { version: __DOI_CLI_VERSION__, homepage: __DOI_CLI_HOMEPAGE__ }
    : JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));

/** The package's version. */
export const VERSION = MANIFEST.version;

/** The package's page, which leads to its documents; see `documentsAt` for a placeholder. */
export const HOMEPAGE = MANIFEST.homepage;
