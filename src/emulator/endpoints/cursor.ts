import type { Position } from '../state/catalogue.ts';

/** Observed: the opaque cursor is base64url of `createdMillis,doi` of the last record of the page. */
export function encodeCursor({ created, doi }: Position): string {
  return Buffer.from(`${created * 1000},${doi}`).toString('base64url');
}

/**
 * The position a cursor stands for; undefined for `1` and, as observed, for every cursor that is malformed.
 */
export function decodeCursor(cursor: string): Position | undefined {
  const text = Buffer.from(cursor, 'base64url').toString();
  const match = /^(\d+),(10\..+)$/.exec(text);
  const [, milliseconds, doi] = match ?? [];
  if (milliseconds === undefined || doi === undefined) return undefined;
  return { created: Math.floor(Number(milliseconds) / 1000), doi };
}
