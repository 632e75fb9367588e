import { type Attributes, createDoi, type Doi, findDoi } from '../../../api/dois.ts';
import { matchesRequest } from '../../../api/record-match.ts';
import { checkRecord } from '../../../metadata/check.ts';
import { heldAttributes } from '../../../metadata/held.ts';
import { createRecord, generatedDoi, type ReservedDoi } from '../../../records/create-record.ts';
import { requestOf } from '../../../records/document.ts';
import type { LineResult } from '../../../records/entry.ts';
import { findingsIn, withLocations } from '../../../records/findings.ts';
import type { BulkLedger } from '../../../records/ledger.ts';
import { LineStatus } from '../../../records/line-index.ts';
import type { LineTask } from '../../../records/run.ts';
import { defaultSchemaVersion } from '../../../records/sent-record.ts';
import { stateProblem } from '../../../records/state-problem.ts';
import { droppedMember, type LineOptions, type LineRecord, problemsOf, readLine } from './line-record.ts';
import { type LineWork, pause, refuse, resultOf } from './line-work.ts';

/**
 * Creates the record of a line exactly once.
 * @throws {CliError} the failure of this line; {@link InDoubt} when the record may exist.
 */
export async function createLine(work: LineWork, task: LineTask): Promise<LineResult> {
  const record = readLine(task.text, task.line, work.lines);
  refuse(problemsOf(record, work.lines));
  const made = await create(work, record, task).catch((error: unknown) => {
    throw withLocations(error, record.parsed);
  });
  // The DOI that was asked for: `createDoi` sees to it.
  const problem = stateProblem(made, 'created', record.event);
  return resultOf(work, task, made, {
    outcome: 'created',
    errors: problem === undefined ? [] : [{ path: 'state', message: work.context.redactor.mask(problem) }],
    ...droppedMember(findingsIn(record.parsed, 'draft')),
  });
}

/** Whether the record of a line would be sent. */
export async function checkLine(lines: LineOptions, { text, line }: LineTask): Promise<LineResult> {
  const record = readLine(text, line, lines);
  const errors = problemsOf(record, lines);
  const outcome = errors.length > 0 ? 'failed' : 'valid';
  const dropped = droppedMember(findingsIn(record.parsed, 'draft'));
  return { line, doi: record.parsed.doi ?? null, state: null, outcome, errors, ...dropped };
}

async function create(work: LineWork, record: LineRecord, { line, of }: LineTask): Promise<Doi> {
  const { context, service, ledger, lock } = work;
  const { event: _, ...attributes } = heldIn(record);
  const schemaVersion = defaultSchemaVersion(record.parsed.attributes);
  const prefix = record.prefix ?? '';
  return createRecord(
    {
      now: context.host.now,
      begun: ledger.begun,
      generate: (attempt) => generatedDoi(prefix, ledger.seed, line, of, attempt),
      create: async (doi) => {
        // The DOI is in the ledger. A process that takes the ledger over after this check finds it there.
        await lock.check();
        return createDoi(service, requestOf(record.parsed, record.event, { doi, schemaVersion }).body);
      },
      find: (doi) => findDoi(service, doi, { expanded: true }),
      matches: (stored) => matchesRequest(stored, attributes, { exact: false }),
      fix: (fixed) => ledger.fix({ line, of, ...fixed, at: new Date(fixed.at).toISOString() }),
      pause: (attempt, error) => pause(work, attempt, error),
    },
    {
      doi: record.parsed.doi,
      doubtful: ledger.index.status(line) === LineStatus.doubtful,
      fixed: await fixedBefore(ledger, record, line),
      retries: context.options.retries,
    },
  );
}

/** The DOI of an earlier run: always kept for a line in doubt, and for a failed line if it still fits. */
async function fixedBefore(
  ledger: BulkLedger,
  { parsed, prefix }: LineRecord,
  line: number,
): Promise<ReservedDoi | undefined> {
  const entry = await ledger.fixed(line);
  if (entry === undefined) return undefined;
  const { doi, generated, at } = entry;
  const fits = generated && parsed.doi === undefined && doi.startsWith(`${prefix}/`);
  if (ledger.index.status(line) !== LineStatus.doubtful && !fits) return undefined;
  return { doi, generated, at: Date.parse(at) };
}

/** What the service holds of the attributes of a line. */
function heldIn({ parsed: { attributes } }: LineRecord): Attributes {
  return heldAttributes(attributes, checkRecord(attributes, 'draft'));
}
