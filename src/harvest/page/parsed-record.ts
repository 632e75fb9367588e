import { CliError } from '../../errors.ts';
import { type JsonObject, parseBounded, TooComplex } from '../../text/json-values.ts';

// The service sends the id first.
const ID = /^.{0,200}?"id":"([^"]{1,300})"/s;

/** Parses a record. @throws {CliError} kind `unexpected` with this hint for too many values. */
export function parsedRecord(record: Buffer, hint: string): JsonObject {
  try {
    return parseBounded(record.toString()) as JsonObject;
  } catch (error) {
    if (!(error instanceof TooComplex)) throw error;
    const [, id = 'a record'] = ID.exec(record.toString('utf8', 0, 1000)) ?? [];
    throw new CliError('unexpected', `${id} has ${error.message}`, { hint });
  }
}
