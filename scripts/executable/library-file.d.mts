/** The folder for files that may be removed at any time; undefined for a user without a home. */
export function cacheDirectory(
  env: Readonly<Record<string, string | undefined>>,
  platform: string,
): string | undefined;

/** Keeps a library as a file, and returns its path. */
export function libraryFile(
  folder: string,
  bytes: Buffer,
  rename?: (from: string, to: string) => void,
): string;
