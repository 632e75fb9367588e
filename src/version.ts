import { readFileSync } from 'node:fs';

declare const __DOI_CLI_VERSION__: string | undefined;

/** The package's version. The build inserts it; the sources read it from package.json. */
export const VERSION: string =
  typeof __DOI_CLI_VERSION__ === 'string'
    ? __DOI_CLI_VERSION__
    : JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')).version;
