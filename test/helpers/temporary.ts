import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

/** Registers a clean-up: `onTestFinished` for one test, `afterAll` for a file. */
export type AtEnd = (cleanUp: () => void | Promise<void>) => void;

/** A new, empty directory, which is removed at the end of the test, or with `afterAll` at the end of the file. */
export function temporaryDirectory(atEnd: AtEnd = onTestFinished): string {
  const path = mkdtempSync(join(tmpdir(), 'doi-cli-'));
  // A program that was killed may leave a child that still writes for a moment.
  atEnd(() => rmSync(path, { recursive: true, force: true, maxRetries: 5 }));
  return path;
}
