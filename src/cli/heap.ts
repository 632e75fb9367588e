import { setFlagsFromString } from 'node:v8';

/**
 * Keeps the young generation of V8's heap small, before many pages are read: it would grow to 48 MB although
 * pages live outside of it. That saves memory, and a twentieth of the time of a harvest (measured).
 */
export function keepHeapSmall(): void {
  setFlagsFromString('--semi-space-growth-factor=1');
}
