import type { Context } from '../../../cli/context.ts';
import type { InputRecord } from '../../../formats/input/source.ts';
import { FORMATS } from '../../../formats/registry.ts';
import { columnAt, STANDARD } from '../../../formats/spreadsheet/column.ts';
import { type Finding, findingText } from '../../../metadata/findings.ts';
import { counted } from '../../../text/words.ts';
import { outTarget, writeOutFile } from '../../../ui/out-file.ts';
import { firstFindings } from '../../../writing/findings.ts';

/** Spreadsheets cut long cells. */
const MOST_FINDINGS = 20;

/** Adds a record with findings to a sheet. */
export type AddToSheet = (record: InputRecord, findings: readonly Finding[]) => Promise<void>;

/**
 * Writes a sheet of records with findings to the file of `--out`, as a list is written, with a last
 * column that says what is wrong.
 */
export async function withSheet<Made>(
  { messages: { note, warn }, suggest }: Context,
  path: string,
  work: (add: AddToSheet) => Promise<Made>,
): Promise<Made> {
  const endings = { '.csv': 'csv', '.tsv': 'tsv' } as const;
  const { format = 'csv', packing } = outTarget(path, endings, undefined);
  const makeWriter = await FORMATS[format].write();
  let records = 0;
  const made = await writeOutFile(path, { packing, warn }, async (sink) => {
    let cell = '';
    const findings = () => cell;
    const writer = makeWriter(sink, { fields: undefined, isEditable: true, findings, warn });
    await writer.write([]);
    const done = await work(({ text }, found) => {
      records += 1;
      cell = firstFindings(found, MOST_FINDINGS).map(textForColumn).join('; ');
      return writer.write([Buffer.from(text)]);
    });
    await writer.end();
    return done;
  });
  const next = suggest('dois', 'update', '--file', path);
  if (records > 0) note(`${path}: ${counted(records, 'record')} to edit; then ${next}`);
  return made;
}

/** A finding that names the column to edit instead of the path, where there is one. */
function textForColumn(finding: Finding): string {
  return findingText({ ...finding, path: columnAt(finding.steps, STANDARD) ?? finding.path });
}
