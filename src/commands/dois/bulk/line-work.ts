import { type Attributes, createDoi, type Doi, findDoi, getDoi, updateDoi } from '../../../api/dois.ts';
import { retryDelayMs } from '../../../api/http/retry.ts';
import { matchesRequest } from '../../../api/record-match.ts';
import type { Service } from '../../../api/service.ts';
import { STATES } from '../../../api/states.ts';
import { createRecord, generatedDoi, type ReservedDoi } from '../../../bulk/create-record.ts';
import type { LineResult } from '../../../bulk/entry.ts';
import type { BulkLedger } from '../../../bulk/ledger.ts';
import { LineStatus } from '../../../bulk/line-index.ts';
import type { LineTask } from '../../../bulk/run.ts';
import type { Context } from '../../../cli/context.ts';
import type { Lock } from '../../../disk/lock/lock.ts';
import { CliError, type Problem } from '../../../errors.ts';
import { checkRecord } from '../../../metadata/check.ts';
import { heldAttributes } from '../../../metadata/held.ts';
import { parseRecord, requestOf } from '../record/document.ts';
import { getExistingDoi, refuseIneffective } from '../record/existing-doi.ts';
import { findingsIn, withLocations } from '../record/findings.ts';
import { defaultSchemaVersion, effective } from '../record/sent-record.ts';
import { findingsAgainst } from '../record/update-findings.ts';
import { stateProblem } from '../record/written-record.ts';
import {
  droppedMember,
  errorsIn,
  type LineOptions,
  type LineRecord,
  problemsOf,
  readLine,
} from './line-record.ts';

/** What carrying out lines takes. */
export interface LineWork {
  readonly context: Context;
  readonly service: Service;
  readonly ledger: BulkLedger;
  /** Of the ledger. */
  readonly lock: Lock;
  readonly lines: LineOptions;
}

/**
 * Creates the record of a line exactly once, or updates it.
 * @throws {CliError} the failure of this line; {@link InDoubt} when the record may exist.
 */
export async function carryOutLine(work: LineWork, task: LineTask): Promise<LineResult> {
  const { command } = work.lines;
  const record = readLine(task.text, task.line, work.lines);
  refuse(problemsOf(record, work.lines));
  const answer = command === 'update' ? update(work, record) : create(work, record, task);
  const doi = await answer.catch((error: unknown) => {
    throw withLocations(error, record.parsed);
  });
  const { state } = doi.attributes;
  const outcome = command === 'update' ? 'updated' : 'created';
  const problem = stateProblem(doi, outcome, record.event);
  return {
    line: task.line,
    // The DOI that was asked for: `createDoi` and `updateDoi` see to it.
    doi: doi.id,
    state: STATES.find((one) => one === state) ?? null,
    outcome,
    errors: problem === undefined ? [] : [{ path: 'state', message: work.context.redactor.mask(problem) }],
    ...droppedMember(record, work.lines),
  };
}

/** The result of a line that failed. */
export function failedResult(
  { context, lines }: LineWork,
  { text, line }: LineTask,
  fixed: string | undefined,
  error: CliError,
): LineResult {
  const { doi = fixed ?? null } = parseRecord(text, lines.name, line);
  // The hint says what the service's message leaves out: whose the prefix is (service.md, W8).
  const why = error.kind === 'credentials' && error.hint !== undefined ? ` (${error.hint})` : '';
  const listed = error.problems.length > 0 ? error.problems : [{ path: null, message: error.message }];
  const mask = (text: string) => context.redactor.mask(text);
  const errors = listed.map(({ path, message, ...more }) => ({
    path: path && mask(path),
    message: mask(`${message}${why}`),
    ...more,
  }));
  return { line, doi, state: null, outcome: 'failed', errors };
}

function refuse(problems: readonly Problem[]): void {
  if (problems.length > 0) throw new CliError('rejected', 'the record is not valid', { problems });
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

async function update(work: LineWork, record: LineRecord): Promise<Doi> {
  const { context, service, lines, lock } = work;
  const { parsed, event } = record;
  const { doi = '' } = parsed;
  // An update of a DOI that does not exist would create it (service.md, W12).
  const before = await getExistingDoi(service, doi, { expanded: true });
  if (lines.validate) {
    refuseIneffective(context, event, before);
    refuse(errorsIn(findingsIn(parsed, 'update', findingsAgainst(before, parsed, event))));
  }
  const { body } = requestOf(effective(parsed, before.attributes), event);
  for (let attempt = 1; ; attempt += 1) {
    await lock.check();
    try {
      return await updateDoi(service, doi, body);
    } catch (error) {
      const isTransient =
        error instanceof CliError &&
        (error.kind === 'unavailable' || (error.kind === 'throttled' && error.status !== 429));
      if (!isTransient || attempt > context.options.retries) throw error;
      await pause(work, attempt, error);
      // Send it again only if the lost attempt had no effect.
      const now = await getDoi(service, doi, { expanded: true });
      if (matchesRequest(now.attributes, { ...heldIn(record), event }, { exact: false })) return now;
    }
  }
}

async function pause({ context, service }: LineWork, attempt: number, error: CliError): Promise<void> {
  const { host, messages } = context;
  if (error.kind === 'throttled' && service.rateLimiter !== undefined) {
    // The rate limiter holds back all lines together, including this one.
    service.rateLimiter.onThrottled(undefined);
    return;
  }
  const delay = retryDelayMs(attempt, host.random(), undefined);
  messages.trace(`${error.message}; looking for the DOI in ${(delay / 1000).toFixed(1)} s`);
  await host.sleep(delay, host.signal);
}
