/** Keeps a library as a file, and returns its path. */
export function libraryFile(folder: string, bytes: Buffer): string;
