import { setImmediate } from 'node:timers/promises';
import { type Organization, ownRepository } from '../../../api/repositories.ts';
import type { Context } from '../../../cli/context.ts';
import type { OptionsOf } from '../../../cli/option-types.ts';
import { CliError, usageError } from '../../../errors.ts';
import { openRecordFile, type RecordFile } from '../../../formats/open.ts';
import { jsonArray, jsonLines, type RowWriter } from '../../../formats/output/row-writer.ts';
import { visible } from '../../../text/redact.ts';
import { counted, number } from '../../../text/words.ts';
import { firstFindings, isError, placedText } from '../../../writing/findings.ts';
import { WarningCounts } from '../results/results.ts';
import { kindTable } from './finding-kinds.ts';
import type { validate } from './index.ts';
import { type Checked, recordCheck } from './record-check.ts';
import { type AddToSheet, withSheet } from './repair-sheet.ts';

type ValidateOptions = OptionsOf<typeof validate>;

/**
 * Checks the records of a file, or the stored ones of the account.
 * @returns 1 for errors, 2 when a line is not a record.
 */
export async function validateCommand(context: Context, options: ValidateOptions): Promise<number> {
  const { file, mine, where, map, out, format } = options;
  const example = 'doi-cli dois validate --mine';
  if ((file === undefined) === (mine === undefined && where === undefined)) {
    const hint = `${example}, or --file record.json`;
    throw usageError('name either a file, or stored records by --mine or --where', hint);
  }
  if (file !== undefined && out !== undefined)
    throw usageError('--out is for stored records', `${example} --out fix.csv`);
  const open = async () => {
    if (file !== undefined) return openRecordFile(context, file, { map });
    const { storedRecords } = await import('../bulk/query.ts');
    return storedRecords(context, where ?? [], format !== 'text' && context.host.terminal.stdout);
  };
  const run = async (add?: AddToSheet) => checkAll(context, await open(), options, add);
  return out === undefined ? run() : withSheet(context, out, run);
}

async function checkAll(
  context: Context,
  opened: RecordFile,
  { event, state, strict, format }: ValidateOptions,
  addToSheet?: AddToSheet,
): Promise<number> {
  const { host, messages } = context;
  const { name, isList = false } = opened;
  const check = recordCheck(opened, { event, state, account: await knownAccount(context) });
  const report = reportOf(context, opened, format);
  const total = { records: 0, wrong: 0, errors: 0, warnings: 0, unreadable: 0 };
  const warned = new WarningCounts();
  for await (const input of opened.records()) {
    const checked = check(input);
    const { findings } = checked;
    await report.write([checked]);
    if (findings.length > 0) await addToSheet?.(input, findings);
    const warnings = findings.filter((finding) => !isError(finding));
    const errors = findings.length - warnings.length;
    warned.add({ warnings });
    total.records += 1;
    total.errors += errors;
    total.warnings += warnings.length;
    if (errors > 0 || (strict && warnings.length > 0)) total.wrong += 1;
    if (checked.state === null) total.unreadable += 1;
    // Node delivers a signal between turns of its loop, and a large record takes one.
    await setImmediate();
    host.signal.throwIfAborted();
  }
  if (total.records === 0 && !isList) throw new CliError('usage', `${name} is empty`);
  await report.end();
  // The table of kinds has them.
  if (!isList || format !== 'text') for (const line of warned.lines()) messages.note(line);
  messages.note(total.records > 0 ? `${name}: ${summary(total)}` : `no DOI of ${name} matches`);
  if (total.unreadable > 0) return 2;
  return total.wrong > 0 ? 1 : 0;
}

/** Writes what was found: lines of text, a table of a list, or an object for each record. */
function reportOf(
  context: Context,
  opened: RecordFile,
  format: ValidateOptions['format'],
): RowWriter<Checked> {
  if (format === 'json') return jsonArray(context.out, jsonOf);
  if (format === 'ndjson') return jsonLines(context.out, jsonOf);
  return opened.isList ? kindTable(context) : findingLines(context, opened);
}

function findingLines({ host, look }: Context, opened: RecordFile): RowWriter<Checked> {
  const { name, path, rows: isTable } = opened;
  return {
    async write(rows) {
      for (const { doi, file = name, findings } of rows) {
        // The line of a stream cannot be looked up, and rows may have been sorted.
        const which = (isTable || path === undefined) && doi !== null ? ` (${visible(doi)})` : '';
        const texts = firstFindings(findings).map((finding) =>
          look.lead(visible(`${placedText(file, finding)}${which}`)),
        );
        await host.stdout.write(texts.map((line) => `${line}\n`).join(''));
      }
    },
    end: async () => {},
  };
}

type Totals = Record<'records' | 'errors' | 'warnings', number>;

function summary({ records, errors, warnings }: Totals): string {
  if (errors + warnings === 0)
    return records === 1 ? 'the record is valid' : `all ${number(records)} records are valid`;
  const more = warnings > 0 ? `, ${counted(warnings, 'warning')}` : '';
  return `${counted(errors, 'error')}${more} in ${counted(records, 'record')}`;
}

function jsonOf({ findings, ...checked }: Checked): string {
  const plain = firstFindings(findings).map(({ steps: _, ...finding }) => finding);
  return JSON.stringify({ ...checked, valid: !findings.some(isError), findings: plain });
}

/** The account of the credentials; without an answer, only the schema is checked. */
async function knownAccount(context: Context): Promise<Organization | undefined> {
  try {
    const credentials = await context.services.credentials('reads');
    // Without credentials there is no account, and the HTTP client need not be loaded.
    return credentials && (await ownRepository(await context.services.connect(credentials)));
  } catch (error) {
    if (context.host.signal.aborted) throw error;
    return undefined;
  }
}
