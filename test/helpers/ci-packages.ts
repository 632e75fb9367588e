import { createRequire } from 'node:module';

/** Loads and resolves the packages that only `.ci/run` installs: tests skip without `ciPackages`. */
export const ciRequire = createRequire(new URL('../../.ci/packages/package.json', import.meta.url));
