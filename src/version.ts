import { readFileSync } from 'node:fs';

declare const __DOI_CLI_VERSION__: string | undefined;

/** The package's version: fixed by the build, read from package.json when the sources run unbundled. */
export const VERSION: string =
  typeof __DOI_CLI_VERSION__ === 'string'
    ? __DOI_CLI_VERSION__
    : (JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as { version: string })
        .version;
