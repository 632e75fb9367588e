import { randomUUID } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, onTestFinished } from 'vitest';

/** Registers a clean-up: `onTestFinished` for one test, `afterAll` for a file. */
export type AtEnd = (cleanUp: () => void | Promise<void>) => void;

/** A new, empty directory, which is removed at the end of the test, or with `afterAll` at the end of the file. */
export function temporaryDirectory(atEnd: AtEnd = onTestFinished): string {
  const path = mkdtempSync(join(tmpdir(), 'doi-cli-'));
  atEnd(() => remove(path));
  return path;
}

/**
 * The path of a directory for all tests of the file or the `describe` that calls this while it is collected. It is made
 * before the first of them and removed after the last: where all are skipped, Vitest runs neither hook.
 */
export function sharedDirectory(): string {
  const path = join(tmpdir(), `doi-cli-${randomUUID()}`);
  beforeAll(() => {
    mkdirSync(path, { mode: 0o700 });
  });
  afterAll(() => remove(path));
  return path;
}

let ofFile: string | undefined;

/** A directory for helpers that lasts until the end of the test file that runs: their module outlives it. */
export function directoryOfFile(): string {
  ofFile ??= mkdtempSync(join(tmpdir(), 'doi-cli-'));
  return ofFile;
}

/** Removes the directory of the file; test/setup.ts calls it at the end of each. */
export function removeDirectoryOfFile(): void {
  if (ofFile !== undefined) remove(ofFile);
  ofFile = undefined;
}

function remove(path: string): void {
  // A program that was killed may leave a child that still writes for a moment.
  rmSync(path, { recursive: true, force: true, maxRetries: 5 });
}
