/**
 * Decodes a path segment. One with broken percent-encoding stays as it is: it names nothing, so a
 * 404 follows.
 */
export function decode(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}
