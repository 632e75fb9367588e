/** A segment with a broken percent-encoding is taken as it stands: it names nothing, and answers 404. */
export function decode(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}
