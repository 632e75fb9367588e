/** The values of NDJSON. */
// biome-ignore lint/suspicious/noExplicitAny: tests look at what they expect.
export function jsonLines<Value = any>(text: string): Value[] {
  const lines = text.split('\n').filter((line) => line !== '');
  return lines.map((line) => JSON.parse(line) as Value);
}

/** The ids of records in NDJSON. */
export const idsIn = (text: string): string[] =>
  jsonLines<{ id: string }>(text).map(({ id }) => id);
