import { type Attributes, createDoi, type Doi, findDoi, getExistingDoi } from '../api/dois.ts';
import { retryDelayMs } from '../api/http/retry.ts';
import { matchesRequest } from '../api/record-match.ts';
import type { Service } from '../api/service.ts';
import { STATES, stateProblem } from '../api/states.ts';
import type { Lock } from '../disk/lock/lock.ts';
import { CliError, type Problem } from '../errors.ts';
import { checkRecord } from '../metadata/check.ts';
import { heldAttributes } from '../metadata/corrections.ts';
import { changesMember } from './changes.ts';
import { createRecord, generatedDoi, type ReservedDoi } from './create-record.ts';
import { type LineResult, OUTCOME_OF } from './entry.ts';
import { findingsIn, withLocations } from './findings.ts';
import type { BulkLedger } from './ledger.ts';
import {
  doiOfLine,
  droppedMember,
  errorsIn,
  type LineOptions,
  type LineRecord,
  namesDois,
  problemsOf,
  readLine,
  readName,
} from './line.ts';
import { LineStatus } from './line-index.ts';
import { planChange, sendPlan } from './plan.ts';
import type { LineTask } from './run.ts';
import type { RunContext } from './run-context.ts';
import { defaultSchemaVersion, requestOf } from './sent-record.ts';

/** What carrying out the lines of a file takes. */
interface LineWork {
  readonly context: RunContext;
  readonly service: Service;
  readonly ledger: BulkLedger;
  /** Of the ledger. */
  readonly lock: Lock;
  readonly lines: LineOptions;
}

/** What planning the change of a line takes; without a lock nothing is sent. */
type ChangeWork = Pick<LineWork, 'context' | 'service' | 'lines'> & Partial<Pick<LineWork, 'lock'>>;

/**
 * Creates the record of a line exactly once.
 * @throws {CliError} the failure of this line; {@link InDoubt} when the record may exist.
 */
export async function createLine(work: LineWork, task: LineTask): Promise<LineResult> {
  const { context, lines } = work;
  const record = readLine(task.text, task.line, lines);
  refuse(problemsOf(record, lines));
  const made = await create(work, record, task).catch((error: unknown) => {
    throw withLocations(error, record.parsed);
  });
  // The DOI that was asked for: `createDoi` sees to it.
  const errors = stateErrors(context, stateProblem(made, 'created', record.event));
  const dropped = droppedMember(findingsIn(record.parsed, 'draft'));
  return resultOf(context, task, made, { outcome: 'created', errors, ...dropped });
}

/** Whether the record of a line would be sent. */
export async function checkLine(lines: LineOptions, { text, line }: LineTask): Promise<LineResult> {
  const record = readLine(text, line, lines);
  const errors = problemsOf(record, lines);
  const outcome = errors.length > 0 ? 'failed' : 'valid';
  const dropped = droppedMember(findingsIn(record.parsed, 'draft'));
  return { line, doi: record.parsed.doi ?? null, state: null, outcome, errors, ...dropped };
}

/**
 * Changes the record of a line, or deletes it. It is read first: a record that is as asked is not sent, and the
 * service would create a record that does not exist (service.md, W12) or ignore an event that does not fit
 * (service.md, W4).
 * @returns with `changes` and nothing sent where there is no lock.
 * @throws {CliError} the failure of this line.
 */
export async function changeLine(work: ChangeWork, task: LineTask): Promise<LineResult> {
  const { context, service, lines, lock } = work;
  const { command } = lines;
  const { text, line } = task;
  if (command === 'create') throw new Error('a create changes no record');
  const given = namesDois(lines) ? undefined : readLine(text, line, lines);
  if (given !== undefined) refuse(problemsOf(given, lines));
  const { doi = '', failure } =
    given === undefined ? readName(text, line, lines) : { doi: given.parsed.doi, failure: undefined };
  if (failure !== undefined) throw new CliError('rejected', failure);
  const before = await (command === 'delete' ? findDoi : getExistingDoi)(service, doi);
  if (before === undefined) return { line, doi, state: null, outcome: 'unchanged', errors: [] };
  const plan = planChange(context, before, { ...lines, command }, given?.parsed);
  if (lines.validate) refuse(errorsIn(plan.findings));
  const dropped = droppedMember(plan.findings);
  if (lock === undefined) {
    const outcome = plan.isUnchanged ? 'unchanged' : 'valid';
    const changes = changesMember(plan.changes);
    return resultOf(context, task, before, { outcome, changes, errors: [], ...dropped });
  }
  if (plan.isUnchanged)
    return resultOf(context, task, before, { outcome: 'unchanged', errors: [], ...dropped });
  await lock.check();
  const after = await sendPlan(service, plan);
  const outcome = OUTCOME_OF[command];
  if (after === undefined || outcome === 'deleted') return { line, doi, state: null, outcome, errors: [] };
  const problem = stateProblem(after, outcome, plan.event);
  // Without the state that it is about, an event had no effect.
  if (problem !== undefined && command !== 'update') throw new CliError('rejected', problem);
  return resultOf(context, task, after, { outcome, errors: stateErrors(context, problem), ...dropped });
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
  { host }: RunContext,
  { line }: LineTask,
  { id, attributes }: Doi,
  { outcome, changes, errors, ...others }: Pick<LineResult, 'outcome' | 'changes' | 'errors' | 'dropped'>,
): LineResult {
  const state = STATES.find((one) => one === attributes['state']) ?? null;
  const asOf = state === null ? undefined : new Date(host.now()).toISOString();
  return { line, doi: id, state, asOf, outcome, changes, errors, ...others };
}

function stateErrors({ redactor }: RunContext, problem: string | undefined): readonly Problem[] {
  return problem === undefined ? [] : [{ path: 'state', message: redactor.mask(problem) }];
}

/** @throws {CliError} kind `rejected` with these problems, if there are any. */
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

/** Waits before a record is looked for, or created again. */
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
