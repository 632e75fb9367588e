import type { Position } from '../state/catalogue.ts';

/** A cursor is base64url of `createdMillis,doi` of the last record of a page (service.md, P7). */
export function encodeCursor({ created, doi }: Position): string {
  return Buffer.from(`${created * 1000},${doi}`).toString('base64url');
}

/** The position of a cursor; undefined for `1` and for every malformed cursor (service.md, P8). */
export function decodeCursor(cursor: string): Position | undefined {
  const text = Buffer.from(cursor, 'base64url').toString();
  const match = /^(\d+),(10\..+)$/.exec(text);
  const [, milliseconds, doi] = match ?? [];
  if (milliseconds === undefined || doi === undefined) return undefined;
  return { created: Math.floor(Number(milliseconds) / 1000), doi };
}
