const CODE = `import os from 'node:os';
import { syncBuiltinESMExports } from 'node:module';
os.platform = () => 'win32';
syncBuiltinESMExports();`;

/**
 * An environment in which the built program takes itself to be on Windows. Paths and processes stay
 * as they are.
 */
export const AS_WINDOWS = {
  NODE_OPTIONS: `--import data:text/javascript,${encodeURIComponent(CODE)}`,
};
