import { createRequire } from 'node:module';

/** Loads and finds packages that only `.ci/run` installs; `lacks('ciPackages')` without them. */
export const ciRequire = createRequire(new URL('../../.ci/packages/package.json', import.meta.url));
