import { rm } from 'node:fs/promises';

/** A file of records on disk; that of stdin is a copy. */
export interface BulkInput {
  readonly path: string;
  /** What to call it in messages. */
  readonly name: string;
  /** The folder of a copy, to be removed when nothing is left to do. */
  readonly folder: string | undefined;
}

/** Removes the copy of what stdin held. */
export async function discard({ folder }: BulkInput): Promise<void> {
  if (folder !== undefined) await rm(folder, { recursive: true, force: true });
}
