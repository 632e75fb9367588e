import { CliError, type Problem } from '../errors.ts';
import { checkRecord, type Finding, findingText, type Target, withLines } from '../metadata/check.ts';
import { counted, number } from '../text/words.ts';
import { OPTIONS, type ParsedRecord } from './document.ts';
import { withColumns, withRecord } from './row.ts';
import type { RunContext } from './run-context.ts';

/** A finding as a compiler prints it, which editors turn into a link: `record.json:3: error: …`. */
export function placedText(source: string, finding: Finding): string {
  const { line, character } = finding;
  if (line === undefined && source === OPTIONS) return findingText(withOption(finding));
  const place = [source, line, character].filter((part) => part !== undefined).join(':');
  return `${place}: ${findingText(finding)}`;
}

/** The options that describe a record, by the attribute that they give. */
const OPTION_OF: Readonly<Record<string, string>> = {
  titles: '--title',
  creators: '--creator',
  publicationYear: '--year',
  types: '--type',
  subjects: '--subject',
  descriptions: '--description',
};

/** A finding about options, with the option in place of the attribute. */
function withOption(finding: Finding): Finding {
  const [name = ''] = finding.steps;
  const known = ['doi', 'prefix', 'publisher', 'url'].includes(String(name)) ? `--${name}` : OPTION_OF[name];
  return known === undefined ? finding : { ...finding, path: known };
}

/**
 * The findings about a record with their lines in the file, sorted by severity and line. What a row changes can
 * only be checked together with the record that there is: see `findingsAgainst`.
 */
export function findingsIn(
  record: ParsedRecord,
  target: Target,
  more: readonly Finding[] = [],
): readonly Finding[] {
  const { row } = record;
  const own =
    row !== undefined && target === 'update'
      ? []
      : withRecord(row?.findings ?? [], checkRecord(record.attributes, target));
  const found = withColumns(withLines([...more, ...own], record), row);
  return found.toSorted((a, b) => Number(isError(b)) - Number(isError(a)) || (a.line ?? 0) - (b.line ?? 0));
}

/** Whether a record with this finding must not be sent. */
export function isError({ severity }: Finding): boolean {
  return severity === 'error';
}

/**
 * Refuses to send a record with errors; prints its warnings otherwise.
 * @throws {CliError} kind `usage`.
 */
export function refuseErrors(context: RunContext, source: string, findings: readonly Finding[]): void {
  const errors = findings.filter(isError);
  const lines = linesOf(source, findings);
  if (errors.length === 0) {
    for (const line of lines) context.messages.note(line);
    return;
  }
  throw new CliError('usage', `${source} has ${counted(errors.length, 'error')}; nothing was sent`, {
    hint: `correct ${errors.length === 1 ? 'it' : 'them'}, or send the record anyway with --no-validate`,
    problems: errors.map(toProblem),
    lines,
  });
}

// A record that was read may have hundreds of affiliations without their identifiers.
const MAX_ALIKE = 3;

/** A line for each finding; of many warnings that say the same of items of one list, the first and their number. */
function linesOf(source: string, findings: readonly Finding[]): readonly string[] {
  const alike = new Map<string, Finding[]>();
  for (const finding of findings) {
    const { severity, path, message } = finding;
    const key = JSON.stringify([severity, path.replace(/\[\d+\]/g, '[]'), message]);
    const group = alike.get(key);
    if (group === undefined) alike.set(key, [finding]);
    else group.push(finding);
  }
  return [...alike.values()].flatMap((group) => {
    const [first] = group;
    if (first === undefined || isError(first) || group.length <= MAX_ALIKE) {
      return group.map((finding) => placedText(source, finding));
    }
    return `${placedText(source, first)} (and ${number(group.length - 1)} more like it)`;
  });
}

/** An error 422 with each of the service's problems at its line of the record; other errors as they are. */
export function withLocations(error: unknown, record: ParsedRecord): unknown {
  if (!(error instanceof CliError) || error.status !== 422 || error.problems.length === 0) return error;
  const located = withLines(
    error.problems.map(({ path, message }): Finding => {
      // The service writes names in snake_case here (service.md, E2).
      const name = path?.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase()) ?? '';
      return { severity: 'error', path: name, steps: name === '' ? [] : [name], message };
    }),
    record,
  );
  const found = withColumns(located, record.row);
  return error.with({
    message: `the service refused the record (HTTP ${error.status})`,
    problems: found.map(toProblem),
    lines: found.map((finding) => placedText(record.source, finding)),
  });
}

/** A finding as JSON output has it. */
export function toProblem({ severity: _, steps: __, dropped: ___, ...finding }: Finding): Problem {
  return finding;
}
