import { createDoi, type Doi, findDoi, getExistingDoi } from '../api/dois.ts';
import { retryDelayMs } from '../api/http/retry.ts';
import { matchesRequest } from '../api/record-match.ts';
import type { Service } from '../api/service.ts';
import { STATES, stateProblem } from '../api/states.ts';
import type { Lock } from '../disk/lock/lock.ts';
import { CliError, type Problem } from '../errors.ts';
import type { Finding } from '../metadata/check.ts';
import { heldAttributes } from '../metadata/corrections.ts';
import { changesMember } from './changes.ts';
import { createRecord, generatedDoi, type ReservedDoi } from './create-record.ts';
import { type LineResult, OUTCOME_OF } from './entry.ts';
import { isError, toProblem, withLocations } from './findings.ts';
import type { BulkLedger } from './ledger.ts';
import { doiOfLine, findingsOf, type LineOptions, type LineRecord, readLine, readName } from './line.ts';
import { LineStatus } from './line-index.ts';
import { planChange, sendPlan } from './plan.ts';
import type { LineTask } from './run.ts';
import type { RunContext } from './run-context.ts';
import { createRequest } from './sent-record.ts';

/** What carrying out the lines of a file takes. */
export interface LineWork {
  readonly context: RunContext;
  readonly lines: LineOptions;
  /** Undefined where nothing is read or sent: to check what a create would do. */
  readonly service: Service | undefined;
  /** The ledger and its lock; without them nothing is sent. */
  readonly writes: { readonly ledger: BulkLedger; readonly lock: Lock } | undefined;
}

/** What it takes to send something. */
interface Writing extends LineWork {
  readonly service: Service;
  readonly writes: NonNullable<LineWork['writes']>;
}

const canWrite = (work: LineWork): work is Writing => work.service !== undefined && work.writes !== undefined;

/**
 * Creates, changes or deletes the record of a line, or finds out what would be done.
 * @throws {CliError} the failure of this line; {@link InDoubt} when the record may exist.
 */
export function carryOutLine(work: LineWork, task: LineTask): Promise<LineResult> {
  return work.lines.command === 'create' ? createLine(work, task) : changeLine(work, task);
}

/** Creates the record of a line exactly once. */
async function createLine(work: LineWork, task: LineTask): Promise<LineResult> {
  const { lines } = work;
  const record = readLine(task.text, task.line, lines);
  const findings = findingsOf(record, lines);
  refuseErrors(findings, lines);
  const dropped = droppedMember(findings);
  if (!canWrite(work)) {
    const { doi = null } = record.parsed;
    return { line: task.line, doi, state: null, outcome: 'valid', errors: [], ...dropped };
  }
  const made = await create(work, record, findings, task).catch((error: unknown) => {
    throw withLocations(error, record.parsed);
  });
  // The DOI that was asked for: `createDoi` sees to it.
  const problem = stateProblem(made, 'created', record.event);
  return resultOf(work, task, made, { outcome: 'created', errors: stateErrors(work, problem), ...dropped });
}

/**
 * Changes the record of a line, or deletes it. It is read first: a record that is as asked is not sent, and the
 * service would create a record that does not exist (service.md, W12) or ignore an event that does not fit
 * (service.md, W4).
 */
async function changeLine(work: LineWork, task: LineTask): Promise<LineResult> {
  const { context, service, lines } = work;
  const { command, holdsRecords } = lines;
  const { line } = task;
  if (command === 'create' || service === undefined) throw new Error('there is nothing to change');
  const given = holdsRecords ? readLine(task.text, line, lines) : undefined;
  if (given !== undefined) refuseErrors(findingsOf(given, lines), lines);
  const doi = given === undefined ? namedIn(task, lines) : (given.parsed.doi ?? '');
  const before = await (command === 'delete' ? findDoi : getExistingDoi)(service, doi);
  if (before === undefined) return { line, doi, state: null, outcome: 'unchanged', errors: [] };
  const plan = planChange(context, before, { ...lines, command }, given?.parsed);
  refuseErrors(plan.findings, lines);
  const dropped = droppedMember(plan.findings);
  const unchanged = plan.isUnchanged ? 'unchanged' : undefined;
  if (!canWrite(work)) {
    const changes = changesMember(plan.changes);
    return resultOf(work, task, before, { outcome: unchanged ?? 'valid', changes, errors: [], ...dropped });
  }
  if (unchanged) return resultOf(work, task, before, { outcome: unchanged, errors: [], ...dropped });
  await work.writes.lock.check();
  const after = await sendPlan(service, plan);
  const outcome = OUTCOME_OF[command];
  if (after === undefined || outcome === 'deleted') return { line, doi, state: null, outcome, errors: [] };
  const problem = stateProblem(after, outcome, plan.event);
  // Without the state that it is about, an event had no effect.
  if (problem !== undefined && command !== 'update') throw new CliError('rejected', problem);
  return resultOf(work, task, after, { outcome, errors: stateErrors(work, problem), ...dropped });
}

/** @throws {CliError} kind `rejected` where the line is the result of a failure. */
function namedIn({ text, line }: LineTask, lines: LineOptions): string {
  const { doi = '', failure } = readName(text, line, lines);
  if (failure !== undefined) throw new CliError('rejected', failure);
  return doi;
}

/** The result of a line that failed. */
export function failedResult(
  { context, lines }: Pick<LineWork, 'context' | 'lines'>,
  { text, line }: LineTask,
  fixed: string | undefined,
  error: CliError,
): LineResult {
  const doi = doiOfLine(text, line, lines) ?? fixed ?? null;
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

/** The result of a line that did not fail, with the record as the service has just sent it. */
function resultOf(
  { context }: LineWork,
  { line }: LineTask,
  { id, attributes }: Doi,
  { outcome, changes, errors, ...others }: Pick<LineResult, 'outcome' | 'changes' | 'errors' | 'dropped'>,
): LineResult {
  const state = STATES.find((one) => one === attributes['state']) ?? null;
  const asOf = state === null ? undefined : new Date(context.host.now()).toISOString();
  return { line, doi: id, state, asOf, outcome, changes, errors, ...others };
}

function stateErrors({ context }: LineWork, problem: string | undefined): readonly Problem[] {
  return problem === undefined ? [] : [{ path: 'state', message: context.redactor.mask(problem) }];
}

/** @throws {CliError} kind `rejected` with the errors among these findings, if records are checked. */
function refuseErrors(findings: readonly Finding[], { validate }: LineOptions): void {
  const problems = validate ? findings.filter(isError).map(toProblem) : [];
  if (problems.length > 0) throw new CliError('rejected', 'the record is not valid', { problems });
}

/** What the service drops of a record, as a member of its result; none where it drops nothing. */
function droppedMember(findings: readonly Finding[]): { dropped?: Problem[] } {
  const dropped = findings.filter((finding) => finding.dropped);
  return dropped.length === 0 ? {} : { dropped: dropped.map(toProblem) };
}

async function create(
  work: Writing,
  record: LineRecord,
  findings: readonly Finding[],
  { line, of }: LineTask,
): Promise<Doi> {
  const { context, service } = work;
  const { ledger, lock } = work.writes;
  const { event: _, ...attributes } = heldAttributes(record.parsed.attributes, findings);
  const prefix = record.prefix ?? '';
  return createRecord(
    {
      now: context.host.now,
      begun: ledger.begun,
      generate: (attempt) => generatedDoi(prefix, ledger.seed, line, of, attempt),
      create: async (doi) => {
        // The DOI is in the ledger. A process that takes the ledger over after this check finds it there.
        await lock.check();
        return createDoi(service, createRequest(record.parsed, record.event, { doi }).body);
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

/** Waits before a record is looked for, or created again. */
async function pause({ context, service }: Writing, attempt: number, error: CliError): Promise<void> {
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
