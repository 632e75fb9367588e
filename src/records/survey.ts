import { createReadStream } from 'node:fs';
import { systemReason } from '../disk/system-error.ts';
import { CliError, usageError } from '../errors.ts';
import { isBlank, type Line, readLines, textOf } from '../text/lines.ts';
import { counted } from '../text/words.ts';
import { hashOf } from './entry.ts';
import { type LineIndex, LineStatus } from './line-index.ts';

/** A file of records, one a line. */
export interface Input {
  readonly path: string;
  /** Its name in messages. */
  readonly name: string;
}

/** The counts of the first pass over a file. */
export interface Survey {
  readonly records: number;
  /** How many of them earlier runs have done. */
  readonly done: number;
  /** The lines that repeat the DOI of an earlier one; they are no records. */
  readonly repeats: ReadonlySet<number>;
}

interface SurveyOptions {
  readonly input: Input;
  /** The index of the ledger; gets the hash of every line. */
  readonly index: LineIndex;
  readonly signal: AbortSignal;
  /**
   * The DOI of a line that no other line may have; undefined if there is no such DOI.
   * @throws {CliError} kind `usage` for a line that holds no record.
   */
  doiOf(text: string, line: number): string | undefined;
  /** Whether a DOI may occur again, and that line is skipped. */
  readonly skipsRepeats?: boolean;
}

/**
 * Checks every line before anything is sent: that it holds a record, that no DOI occurs twice, and that the
 * lines that an earlier run sent are unchanged.
 * @throws {CliError} kind `usage` with the first wrong line and the number of others.
 */
export async function survey(options: SurveyOptions): Promise<Survey> {
  const { input, index } = options;
  const known = index.last;
  const doiHashes: number[] = [];
  let first: CliError | undefined;
  let wrong = 0;
  let records = 0;
  let done = 0;
  let last = 0;
  for await (const line of linesOf(input)) {
    options.signal.throwIfAborted();
    last = line.number;
    const hash = isBlank(line.bytes) ? 0n : hashOf(line.bytes);
    checkUnchanged(index, line.number, hash, input);
    index.setHash(line.number, hash);
    if (hash === 0n) continue;
    records += 1;
    if (index.status(line.number) >= LineStatus.done) done += 1;
    try {
      const doi = options.doiOf(textOf(line, input.name), line.number);
      if (doi !== undefined) doiHashes.push(doiHash(doi));
    } catch (error) {
      first ??= error as CliError;
      wrong += 1;
    }
  }
  if (first !== undefined) {
    if (wrong === 1) throw first;
    const others = `${counted(wrong - 1, 'more line')} ${wrong === 2 ? 'holds' : 'hold'}`;
    throw first.with({ message: `${first.message}; and ${others} no record` });
  }
  for (let line = last + 1; line <= known; line += 1) {
    checkUnchanged(index, line, 0n, input);
    index.setHash(line, 0n);
  }
  if (records === 0) throw usageError(`${input.name} holds no record`);
  const repeats = await repeatedLines(options, repeated(doiHashes));
  const doneAgain = [...repeats].filter((line) => index.status(line) >= LineStatus.done).length;
  return { records: records - repeats.size, done: done - doneAgain, repeats };
}

/** The lines of a file. */
async function* linesOf({ path, name }: Input): AsyncGenerator<Line> {
  try {
    yield* readLines(createReadStream(path, { highWaterMark: 256 * 1024 }), name);
  } catch (error) {
    if ((error as { syscall?: unknown }).syscall === undefined) throw error;
    throw usageError(`cannot read ${name}: ${systemReason(error)}`, 'name a regular file, or - for stdin');
  }
}

/**
 * The records of a file that a survey has read.
 * @throws {CliError} kind `unexpected` at a line that is missing, or is not as the survey found it.
 */
export async function* surveyedLines(
  input: Input,
  index: LineIndex,
  repeats?: ReadonlySet<number>,
): AsyncGenerator<Line> {
  let last = 0;
  for await (const line of linesOf(input)) {
    last = line.number;
    const hash = isBlank(line.bytes) ? 0n : hashOf(line.bytes);
    if (hash !== index.hash(last)) throw changed(input, last);
    if (hash !== 0n && !repeats?.has(last)) yield line;
  }
  for (let line = last + 1; line <= index.last; line += 1) {
    if (index.hash(line) !== 0n) throw changed(input, line);
  }
}

function changed({ name }: Input, line: number): CliError {
  return new CliError('unexpected', `${name}:${line} changed while it was read`, {
    hint: 'make sure that no other program writes to the file',
  });
}

/**
 * A line that was sent must stay as it was; a failed line may be corrected.
 * @throws {CliError} kind `usage`.
 */
function checkUnchanged(index: LineIndex, line: number, hash: bigint, { name }: Input): void {
  const status = index.status(line);
  if (status === LineStatus.untouched || status === LineStatus.failed || index.hash(line) === hash) return;
  const what = status === LineStatus.doubtful ? 'may have been carried out' : 'has been carried out';
  throw usageError(
    `${name}:${line} has changed since it was sent, and ${what}`,
    'put the file back as it was; failed lines may be corrected, and new ones added at the end',
  );
}

/**
 * The lines that have the DOI of an earlier line.
 * @throws {CliError} kind `usage` for the first of them, where they are not to be skipped.
 */
async function repeatedLines(
  { input, doiOf, skipsRepeats }: SurveyOptions,
  suspects: ReadonlySet<number>,
): Promise<ReadonlySet<number>> {
  const repeats = new Set<number>();
  if (suspects.size === 0) return repeats;
  // Two different DOIs may have the same hash.
  const seen = new Map<string, number>();
  for await (const line of linesOf(input)) {
    const { bytes, number } = line;
    const doi = isBlank(bytes) ? undefined : doiOf(textOf(line, input.name), number)?.toLowerCase();
    if (doi === undefined || !suspects.has(doiHash(doi))) continue;
    const before = seen.get(doi);
    if (before === undefined) seen.set(doi, number);
    else if (skipsRepeats) repeats.add(number);
    else {
      throw usageError(
        `${input.name}:${number} has the DOI of line ${before}, ${doi}`,
        'remove one of the lines',
      );
    }
  }
  return repeats;
}

/** The upper 52 bits of a DOI's hash: a list of numbers takes 8 bytes for each. */
const doiHash = (doi: string): number => Number(hashOf(Buffer.from(doi.toLowerCase())) >> 12n);

function repeated(hashes: readonly number[]): Set<number> {
  const sorted = Float64Array.from(hashes).sort();
  return new Set(sorted.filter((hash, place) => hash === sorted[place - 1]));
}
