import { randomUUID } from 'node:crypto';
import { mkdirSync, mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, onTestFinished } from 'vitest';

/** Registers a clean-up: `onTestFinished` for one test, `afterAll` for a file. */
export type AtEnd = (cleanUp: () => void | Promise<void>) => void;

/**
 * A new, empty directory, which is removed at the end of the test, or with `afterAll` at the end of
 * the file.
 */
export function temporaryDirectory(atEnd: AtEnd = onTestFinished): string {
  const path = mkdtempSync(join(tmpdir(), 'doi-cli-'));
  atEnd(() => remove(path));
  return path;
}

/**
 * The path of a directory for all tests of the file or the `describe` that calls this while it is
 * collected. It is made before the first of them and removed after the last: where all are skipped,
 * Vitest runs neither hook.
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

/**
 * A directory for helpers that lasts until the end of the test file that runs: their module
 * outlives it.
 */
export function directoryOfFile(): string {
  ofFile ??= mkdtempSync(join(tmpdir(), 'doi-cli-'));
  return ofFile;
}

/** Removes the directory of the file; test/setup.ts calls it at the end of each. */
export async function removeDirectoryOfFile(): Promise<void> {
  const path = ofFile;
  ofFile = undefined;
  if (path !== undefined) await remove(path);
}

/**
 * Removes a folder with all that is in it. A program that was killed may leave a child that still
 * writes for a moment, and on Windows a file that a stream is about to close is still there: it
 * closes only while nothing blocks the process.
 */
export function remove(path: string): Promise<void> {
  return rm(path, { recursive: true, force: true, maxRetries: 5 });
}
