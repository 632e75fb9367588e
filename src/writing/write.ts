import { type Doi, findDoi, getExistingDoi } from '../api/dois.ts';
import type { Service } from '../api/service.ts';
import { type Event, STATES, stateAfter, stateProblem } from '../api/states.ts';
import type { Finding } from '../metadata/check.ts';
import { refuseForAccount } from './account.ts';
import { baselineOf, findingsIfUnedited } from './edits.ts';
import { findingsIn, type Reporting, reportFindings } from './findings.ts';
import { type Change, OUTCOME_OF, type OutcomeName, type SentEdits } from './ledger/entry.ts';
import type { RunLedger } from './ledger/run-ledger.ts';
import { type Plan, planFor } from './plan.ts';
import type { ChangeRequest, UpdateRequest } from './request.ts';
import type { RunContext } from './run-context.ts';
import { type LineTask, sendPlan } from './send.ts';

/**
 * What became of a record that was created, changed or deleted without a failure, or would be in a
 * dry run.
 */
export interface WriteOutcome {
  readonly outcome: Exclude<OutcomeName, 'failed'>;
  readonly doi: string | undefined;
  /** The record as the service has it now; undefined where there is none. */
  readonly record?: Doi | undefined;
  /** The requested event, and how the state of the record differs from its state. */
  readonly event?: Event | undefined;
  readonly problem?: string | undefined;
  /** What changes, or would in a dry run; undefined where nothing was compared. */
  readonly changes?: readonly Change[] | undefined;
  readonly findings: readonly Finding[];
  /** What a later run of the same file has to know. */
  readonly sent?: SentEdits | undefined;
}

/** The surroundings of a write: the service, and what a run remembers. */
export interface WriteContext extends Reporting {
  readonly context: RunContext;
  /** Called when what a file says has no error. */
  readonly connect: () => Promise<Service>;
  /** Undefined in a dry run. */
  readonly writes?: Writes | undefined;
  /**
   * Finds a record as lists have it; undefined where it is not listed. Without it, the record is
   * read alone.
   */
  readonly listed?: ((doi: string) => Promise<Doi | undefined>) | undefined;
  /** Whether a DOI that does not exist is as requested. */
  readonly takesMissing?: boolean | undefined;
}

interface Writes {
  readonly ledger: RunLedger;
  /** Sends a request that changes records. */
  readonly send: <T>(request: () => Promise<T>) => Promise<T>;
}

/**
 * Carries out a request: reads the record, plans, checks and sends. A record that is as requested
 * is not sent, and the service would create one that does not exist (service.md, W12).
 * @throws {InDoubt} where it is not known whether a new record exists; {@link CliError}.
 */
export async function write(
  write: WriteContext,
  request: ChangeRequest,
  task: LineTask,
): Promise<WriteOutcome> {
  const { context, connect, warn, writes } = write;
  const sent = request.command === 'update' ? await writes?.ledger.sent(request.doi) : undefined;
  const unedited =
    request.command === 'update' ? await uneditedOutcome(write, request, sent) : undefined;
  if (unedited !== undefined) return unedited;
  const before = request.command === 'create' ? undefined : await storedRecord(write, request.doi);
  if (request.command !== 'create' && before === undefined) {
    return { outcome: 'unchanged', doi: request.doi, findings: [] };
  }
  const suggest = (...words: readonly string[]) => context.suggest(...words);
  const plan = planFor(request, before, { suggest, sent });
  const { findings, hint } = plan;
  if (request.validate && findings.length > 0) {
    reportFindings(plan.record().source, findings, { warn, hint });
  }
  if (plan.isUnchanged) return outcomeUnsent(plan, writes === undefined);
  const isCheckOfNew = request.command === 'create' && writes === undefined;
  if (request.validate && !isCheckOfNew) await refuseForeign(await connect(), plan);
  if (writes === undefined) return outcomeUnsent(plan, true);
  const service = await connect();
  const record = await sendPlan({ context, service, ...writes }, plan, task);
  return outcomeOf(plan, record);
}

/**
 * The outcome of an update that is known without reading the record alone; undefined for any other
 * one.
 */
async function uneditedOutcome(
  { connect, listed }: WriteContext,
  { doi, record, event, set = [], validate }: UpdateRequest,
  sent: SentEdits | undefined,
): Promise<WriteOutcome | undefined> {
  if (record === undefined) return undefined;
  const isOnlyEdits = event === undefined && set.length === 0;
  const findings = isOnlyEdits ? findingsIfUnedited(record, sent) : undefined;
  if (findings !== undefined) {
    return { outcome: 'unchanged', doi, findings: findingsIn(record, 'update', findings) };
  }
  // The warnings come with those about the record as it is.
  if (validate) reportFindings(record.source, findingsIn(record, 'update'));
  const mayBeListed = isOnlyEdits && record.row === undefined && baselineOf(record) === 'dated';
  if (!mayBeListed || listed === undefined) return undefined;
  await connect();
  const stored = await listed(doi);
  if (stored === undefined || record.origin?.updated !== stored.attributes['updated'])
    return undefined;
  const plan = planFor({ command: 'update', doi, record, validate }, stored, {
    suggest: () => '',
    sent,
  });
  const hasFindings = plan.findings.length > 0;
  return plan.isUnchanged && !hasFindings
    ? { outcome: 'unchanged', doi: stored.id, record: stored, findings: [] }
    : undefined;
}

/**
 * The record as it is stored; undefined for a DOI that does not exist, where that is as requested.
 */
async function storedRecord(
  { connect, takesMissing }: WriteContext,
  doi: string,
): Promise<Doi | undefined> {
  const service = await connect();
  return takesMissing ? findDoi(service, doi) : getExistingDoi(service, doi);
}

/**
 * Refuses what the service would refuse for the repository account, of a new record or of a changed
 * one.
 */
async function refuseForeign(
  service: Service,
  { request, before, event, body, record }: Plan,
): Promise<void> {
  if (request.command === 'create') {
    return refuseForAccount(service, request.record, stateAfter(event), request.prefix ?? '');
  }
  const { state } = before?.attributes ?? {};
  const after = event === undefined ? STATES.find((name) => name === state) : stateAfter(event);
  // The service refuses no update of a Draft for its account.
  if (after === undefined || after === 'draft' || body === undefined) return;
  const edited = record();
  const attributes = { ...before?.attributes, ...edited.attributes };
  await refuseForAccount(service, { ...edited, attributes }, after);
}

/** The outcome of a dry run, or of a record that is as requested. */
function outcomeUnsent(plan: Plan, isDryRun: boolean): WriteOutcome {
  const { request, before, event, changes, isUnchanged } = plan;
  // Of a record that is not sent, only what may have been meant otherwise is worth a word.
  const isExport = request.command === 'update' && request.record?.origin?.exported !== undefined;
  const findings = isUnchanged
    ? plan.findings.filter(({ severity }) => isExport && severity === 'warning')
    : plan.findings;
  const doi = before?.id ?? plan.record().doi;
  const outcome = isUnchanged ? 'unchanged' : 'valid';
  const sent = isDryRun || before === undefined ? undefined : plan.sent?.(before);
  return { outcome, doi, record: before, event, changes, findings, sent };
}

function outcomeOf(
  { request, before, event, changes, findings, sent }: Plan,
  record: Doi | undefined,
): WriteOutcome {
  const outcome = OUTCOME_OF[request.command];
  const common = { outcome, doi: record?.id ?? before?.id, event, changes, findings };
  if (record === undefined || outcome === 'deleted') return common;
  // Nothing else leads to a state.
  const hasNewState = event !== undefined || outcome === 'created';
  const problem = hasNewState ? stateProblem(record, outcome, event) : undefined;
  return { ...common, record, problem, sent: sent?.(record) };
}
