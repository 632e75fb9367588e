import { fileURLToPath } from 'node:url';
import { inject } from 'vitest';

/** The path of a file that needs a build. Only the project `program` builds before its tests. */
export function built(path: string): string {
  if (inject('built') !== true) {
    throw new Error('this file runs the built program: list it among BUILT in vitest.config.ts');
  }
  return fileURLToPath(new URL(`../../${path}`, import.meta.url));
}
