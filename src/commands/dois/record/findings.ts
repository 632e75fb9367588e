import type { Context } from '../../../cli/context.ts';
import { CliError, type Problem, toCliError, usageError } from '../../../errors.ts';
import { checkRecord, type Finding, findingText, type Target, withLines } from '../../../metadata/check.ts';
import { counted } from '../../../text/words.ts';
import type { ParsedRecord } from './document.ts';

/** A finding as one line in the way of compilers, which editors make a link of: `record.json:3: error: …`. */
export function placedText(source: string, finding: Finding): string {
  return `${source}${finding.line === undefined ? '' : `:${finding.line}`}: ${findingText(finding)}`;
}

/** What is wrong with a record, each with its line in the file, by severity and line. */
export function findingsIn(
  record: ParsedRecord,
  target: Target,
  more: readonly Finding[] = [],
): readonly Finding[] {
  const found = withLines([...more, ...checkRecord(record.attributes, target)], record);
  const rank = ({ severity }: Finding) => (severity === 'error' ? 0 : 1);
  return found.toSorted((a, b) => rank(a) - rank(b) || (a.line ?? 0) - (b.line ?? 0));
}

/**
 * Refuses to send a record with errors; its warnings are said.
 * @throws {CliError} kind `usage`.
 */
export function refuseErrors(context: Context, source: string, findings: readonly Finding[]): void {
  const errors = findings.filter(({ severity }) => severity === 'error');
  const warnings = findings.filter(({ severity }) => severity === 'warning');
  if (errors.length === 0) {
    for (const finding of warnings) context.messages.note(placedText(source, finding));
    return;
  }
  throw new CliError('usage', `${source} has ${counted(errors.length, 'error')}; nothing was sent`, {
    hint:
      errors.length === 1
        ? 'correct it, or send it all the same with --no-validate'
        : 'correct them, or send it all the same with --no-validate',
    problems: errors.map(problemOf),
    lines: findings.map((finding) => placedText(source, finding)),
  });
}

/** What the service lists as wrong with a record, in the form of our own findings. */
export function refusal(error: unknown, record: ParsedRecord): unknown {
  const { kind, status, hint, problems } = toCliError(error);
  if (status !== 422 || problems.length === 0) return error;
  const found = withLines(
    problems.map(({ path, message }): Finding => {
      // The service spells names in snake_case here (observed).
      const name = path?.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase()) ?? '';
      return { severity: 'error', path: name, steps: name === '' ? [] : [name], message };
    }),
    record,
  );
  return new CliError(kind, `the service refused the record (HTTP ${status})`, {
    status,
    problems: found.map(problemOf),
    lines: found.map((finding) => placedText(record.source, finding)),
    ...(hint === undefined ? {} : { hint }),
    cause: error,
  });
}

/** A finding as it is told in JSON. */
export function problemOf({ severity: _, steps: __, ...finding }: Finding): Problem {
  return finding;
}

/** @throws {CliError} kind `usage` for a record of a file that is about another DOI than the command. */
export function sameDoi(record: ParsedRecord, doi: string): void {
  if (record.doi !== undefined && record.doi.toLowerCase() !== doi.toLowerCase()) {
    throw usageError(
      `${record.source} is the record of ${record.doi}, not of ${doi}`,
      'take the doi out of it',
    );
  }
}
