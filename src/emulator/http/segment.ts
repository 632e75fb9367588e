/**
 * Decodes a path segment. A segment with broken percent-encoding stays unchanged: it identifies
 * nothing, so a 404 follows.
 */
export function decode(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}
