import { CliError, usageError } from '../errors.ts';
import { type InputRecord, type Numbered, placeOf } from '../formats/input/source.ts';
import type { RecordFile } from '../formats/open.ts';
import { counted } from '../text/words.ts';
import { type Baseline, baselineOf, isDated, isEditedRow, refuseOtherRow } from './edits.ts';
import { hashOf } from './ledger/checksums.ts';
import { type LineIndex, LineStatus } from './ledger/line-index.ts';
import { newRowCheck } from './new-rows.ts';
import { doiOf, expectsRecords, nameIn, type RequestOptions, requestIn } from './request.ts';

/** A file of records that can be read repeatedly. */
export type Input = Pick<RecordFile, 'name' | 'rows' | 'isList' | 'files' | 'records'>;

interface SurveyOptions {
  readonly input: Input;
  readonly options: RequestOptions;
  /** The index of the ledger; gets the hash of every line. */
  readonly index: LineIndex;
  readonly signal: AbortSignal;
  /** Whether lists show which DOIs of new records exist. */
  readonly isDryRun?: boolean | undefined;
}

/** A file whose records have been checked as far as that needs no service. */
export interface Survey extends SurveyOptions {
  readonly records: number;
  readonly done: number;
  /** The lines that repeat the DOI of an earlier line; they are skipped. */
  readonly repeats: ReadonlySet<number>;
  /** What the records say about themselves. */
  readonly identities: Identities;
}

/** What the records of a file say about themselves, without their edits. */
class Identities {
  readonly #file: Numbered;
  readonly #options: RequestOptions;
  readonly #isDryRun: boolean;
  #refuseOtherNew: ReturnType<typeof newRowCheck> | undefined;
  /** The number of records with each baseline. */
  readonly baselines: Record<Baseline, number> = { exported: 0, dated: 0, missing: 0, stored: 0 };
  /** The DOIs of exported rows. */
  readonly exported: string[] = [];
  /** The DOIs of JSON records with the time of their last update; in a dry run, of new records. */
  readonly lookups: string[] = [];
  /** The number of rows with edits of which only the DOIs are used. */
  unsent = 0;

  constructor({ input, options, isDryRun = false }: SurveyOptions) {
    this.#file = input;
    this.#options = options;
    this.#isDryRun = isDryRun;
  }

  /** The DOI of a line. @throws {CliError} kind `usage` for a line that cannot be used. */
  identify(input: InputRecord): string | undefined {
    if (!expectsRecords(this.#options)) return this.#named(input);
    const request = requestIn(input, this.#file, this.#options);
    const doi = doiOf(request);
    if (request.command === 'create') {
      this.#refuseOtherNew ??= newRowCheck();
      this.#refuseOtherNew(request.record);
      if (this.#isDryRun && doi !== undefined) this.lookups.push(doi);
    } else if (request.command === 'update' && request.record !== undefined) {
      refuseOtherRow(request.record);
      const baseline = baselineOf(request.record);
      this.baselines[baseline] += 1;
      if (baseline === 'exported') this.exported.push(request.doi);
      if (isDated(request.record)) this.lookups.push(request.doi);
    }
    return doi;
  }

  #named(input: InputRecord): string | undefined {
    if (this.#file.rows) {
      const row = input.parse(this.#file.name, input.line);
      refuseOtherRow(row);
      // Nothing is kept of a deleted record.
      if (this.#options.command !== 'delete' && isEditedRow(row)) this.unsent += 1;
    }
    return nameIn(input, this.#file, this.#options).doi;
  }
}

/**
 * Checks every line before anything is sent: it must contain a record, no DOI may occur twice, and
 * lines that an earlier run has sent must be unchanged. In a list of DOIs, a repeated one is
 * skipped.
 */
export async function survey(options: SurveyOptions): Promise<Survey> {
  const { input, index, signal } = options;
  const known = index.last;
  const identities = new Identities(options);
  const skipsRepeats = !expectsRecords(options.options);
  const lines = new Map<string, number>();
  const repeats = new Set<number>();
  let [wrong, records, done, last] = [0, 0, 0, 0];
  let first: CliError | undefined;
  for await (const { line, hash, record } of hashedLines(input)) {
    signal.throwIfAborted();
    last = line;
    checkUnchanged(options, last, hash);
    index.setHash(last, hash);
    if (record === undefined) continue;
    try {
      const doi = identities.identify(record);
      const key = doi?.toLowerCase() ?? '';
      const before = lines.get(key);
      if (doi !== undefined && before === undefined) lines.set(key, last);
      if (before !== undefined && !skipsRepeats) throw repeated(input, last, before, doi);
      if (before !== undefined) repeats.add(last);
      else records += 1;
      if (before === undefined && index.of(last).status >= LineStatus.done) done += 1;
    } catch (error) {
      first ??= error as CliError;
      wrong += 1;
    }
  }
  if (first !== undefined) {
    const others =
      wrong === 1 ? '' : `; and ${counted(wrong - 1, `more ${wordFor(input)}`)} cannot be used`;
    throw first.with({ message: `${first.message}${others}` });
  }
  for (let line = last + 1; line <= known; line += 1) {
    checkUnchanged(options, line, 0n);
    index.setHash(line, 0n);
  }
  if (records === 0 && !input.isList) throw usageError(`${input.name} holds no record`);
  return { ...options, records, done, repeats, identities };
}

function repeated(input: Input, line: number, before: number, doi: string | undefined): CliError {
  const what = wordFor(input);
  const other = input.files === undefined ? `${what} ${before}` : placeOf(input, before);
  const message = `${placeOf(input, line)} has the DOI of ${other}, ${doi}`;
  return usageError(message, `remove one ${what}`);
}

function wordFor({ rows, files }: Input): string {
  if (files !== undefined) return 'file';
  return rows ? 'row' : 'line';
}

/** All lines: a blank one has no record, and the hash 0. */
async function* hashedLines({ records }: Input) {
  let next = 1;
  for await (const record of records()) {
    const { text, line } = record;
    for (; next < line; next += 1) yield { line: next, record: undefined, hash: 0n };
    yield { line, record, hash: hashOf(Buffer.from(text)) };
    next = line + 1;
  }
}

/** The records of a file after a survey. @throws {CliError} for a line that has changed since. */
export async function* surveyedLines({
  input,
  index,
  repeats,
}: Pick<Survey, 'input' | 'index' | 'repeats'>): AsyncGenerator<InputRecord> {
  let last = 0;
  for await (const { hash, line, record } of hashedLines(input)) {
    last = line;
    if (hash !== index.of(last).hash) throw changed(input, last);
    if (record !== undefined && !repeats.has(last)) yield record;
  }
  for (let line = last + 1; line <= index.last; line += 1) {
    if (index.of(line).hash !== 0n) throw changed(input, line);
  }
}

function changed(input: Input, line: number): CliError {
  return new CliError('unexpected', `${placeOf(input, line)} changed while it was read`, {
    hint: 'let no other program write to it',
  });
}

/** A line that created a record must not be changed; a failed line may be corrected. */
function checkUnchanged(
  { index, input, options }: SurveyOptions,
  line: number,
  hash: bigint,
): void {
  const status = index.of(line).status;
  if (
    status === LineStatus.untouched ||
    status === LineStatus.failed ||
    index.of(line).hash === hash
  )
    return;
  if (options.command !== 'create') {
    index.forget(line);
    return;
  }
  const what =
    status === LineStatus.doubtful ? 'may have been carried out' : 'has been carried out';
  throw usageError(
    `${placeOf(input, line)} has changed since it was sent, and ${what}`,
    input.files === undefined
      ? 'put the line back as it was'
      : 'put the file back as it was, and new files into a folder of their own',
  );
}
