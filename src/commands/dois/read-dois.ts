import type { Context } from '../../cli/context.ts';
import { usageError } from '../../errors.ts';
import { namedDoi } from '../../records/named-doi.ts';
import { openRecordFile, readError } from '../../records/record-file.ts';
import { readLines, textOf } from '../../text/lines.ts';

/**
 * The DOIs of a file, one a line: bare, as URLs, or in records and results as JSON; or those of an array of records,
 * or of the rows of a spreadsheet. A DOI that comes twice is in the list once.
 * @param file a path, or `-` for stdin.
 * @throws {CliError} kind `usage` for a line that holds no DOI, or a file without lines.
 */
export async function readDois(context: Context, file: string): Promise<readonly string[]> {
  const { name, chunks } = await openRecordFile(context, file, true);
  const dois = new Map<string, string>();
  try {
    for await (const line of readLines(chunks(), name)) {
      context.host.signal.throwIfAborted();
      const text = textOf(line, name).trim();
      if (text === '') continue;
      const place = `${name}, line ${line.number}`;
      const { doi } = namedDoi(text, place);
      if (doi === undefined) throw usageError(`${place}: the line names no DOI`);
      dois.set(doi.toLowerCase(), doi);
    }
  } catch (error) {
    throw readError(context, name, error);
  }
  if (dois.size === 0) throw usageError(`${name} holds no DOIs`, 'write one a line, such as 10.5072/abc');
  return [...dois.values()];
}
