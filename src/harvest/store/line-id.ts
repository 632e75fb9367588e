const BEGIN = Buffer.from('{"id":"');
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const CLOSING_BRACE = 0x7d;

/**
 * The `id` of a record that is one line of JSON, in UTF-8; undefined when the line is no object or has no
 * such string. The service's records begin with it. The rest of such a line is not parsed; it must only be
 * free of zero bytes, which a file system puts in the place of lost data.
 */
export function lineId(line: Buffer): Buffer | undefined {
  if (line.at(-1) === CLOSING_BRACE && line.subarray(0, BEGIN.length).equals(BEGIN)) {
    const end = line.indexOf(QUOTE, BEGIN.length);
    const id = line.subarray(BEGIN.length, end);
    if (end >= 0 && !id.includes(BACKSLASH) && !line.includes(0)) return id;
  }
  return parsedId(line);
}

function parsedId(line: Buffer): Buffer | undefined {
  try {
    const record = JSON.parse(line.toString()) as { id?: unknown } | null;
    if (typeof record?.id === 'string' && !Array.isArray(record)) return Buffer.from(record.id);
  } catch {
    // Not JSON: no id.
  }
  return undefined;
}
