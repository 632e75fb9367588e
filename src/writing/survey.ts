import { CliError, usageError } from '../errors.ts';
import { type InputRecord, placeOf } from '../formats/input/source.ts';
import type { RecordFile } from '../formats/open.ts';
import { counted } from '../text/words.ts';
import { hashOf } from './ledger/checksums.ts';
import { type LineIndex, LineStatus } from './ledger/line-index.ts';

/** A file of records that can be read repeatedly. */
export type Input = Pick<RecordFile, 'name' | 'rows' | 'isList' | 'files' | 'records'>;

export interface Survey {
  readonly records: number;
  readonly done: number;
  /** The lines that repeat the DOI of an earlier line; they are skipped. */
  readonly repeats: ReadonlySet<number>;
}

interface SurveyOptions {
  readonly input: Input;
  /** The index of the ledger; gets the hash of every line. */
  readonly index: LineIndex;
  readonly signal: AbortSignal;
  /** The DOI of a line, which must be unique. @throws for a line without a record. */
  doiOf(record: InputRecord): string | undefined;
  /** Whether a line with a repeated DOI is skipped, not an error. */
  readonly skipsRepeats?: boolean;
  /** Whether a line that is done may have changed since. */
  readonly mayChange: boolean;
}

/**
 * Checks every line before anything is sent: it must contain a record, no DOI may occur twice, and
 * lines that an earlier run has sent must be unchanged.
 */
export async function survey(options: SurveyOptions): Promise<Survey> {
  const { input, index, signal, skipsRepeats } = options;
  const known = index.last;
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
      const doi = options.doiOf(record);
      const key = doi?.toLowerCase() ?? '';
      const before = lines.get(key);
      if (doi !== undefined && before === undefined) lines.set(key, last);
      if (before !== undefined && !skipsRepeats) {
        const what = wordFor(input);
        const other = input.files === undefined ? `${what} ${before}` : placeOf(input, before);
        throw usageError(
          `${placeOf(input, last)} has the DOI of ${other}, ${doi}`,
          `remove one ${what}`,
        );
      }
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
  return { records, done, repeats };
}

function wordFor({ rows, files }: Input): string {
  if (files !== undefined) return 'file';
  return rows ? 'row' : 'line';
}

interface HashedLine {
  readonly line: number;
  /** Undefined for a blank line, whose hash is 0. */
  readonly record: InputRecord | undefined;
  readonly hash: bigint;
}

async function* hashedLines({ records }: Input): AsyncGenerator<HashedLine> {
  let next = 1;
  for await (const record of records()) {
    const { text, line } = record;
    for (; next < line; next += 1) yield { line: next, record: undefined, hash: 0n };
    yield { line, record, hash: hashOf(Buffer.from(text)) };
    next = line + 1;
  }
}

/** The records of a file after a survey. @throws {CliError} for a line that has changed since. */
export async function* surveyedLines(
  input: Input,
  index: LineIndex,
  repeats?: ReadonlySet<number>,
): AsyncGenerator<InputRecord> {
  let last = 0;
  for await (const { hash, line, record } of hashedLines(input)) {
    last = line;
    if (hash !== index.of(last).hash) throw changed(input, last);
    if (record !== undefined && !repeats?.has(last)) yield record;
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
  { index, input, mayChange }: SurveyOptions,
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
  if (mayChange) {
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
