import { type Doi, findDoi, getExistingDoi } from '../api/dois.ts';
import type { Service } from '../api/service.ts';
import { type Event, STATES, stateAfter, stateProblem } from '../api/states.ts';
import type { Finding } from '../metadata/check.ts';
import type { Change } from './changes.ts';
import type { ParsedRecord } from './document.ts';
import { editsOf, exportedAt, isAsListed, isUnedited, type Sent, sentOf, withoutUnedited } from './edits.ts';
import { OUTCOME_OF, type Outcome } from './entry.ts';
import { findingsIn, type Reporting, reportFindings, withLocations } from './findings.ts';
import { refuseForAccount } from './own-account.ts';
import { planChange, sendPlan, type Wish } from './plan.ts';
import type { RunContext } from './run-context.ts';
import type { NewRecord } from './sent-record.ts';

/** What became of a record that was created, changed or deleted without a failure, or would be in a dry run. */
export interface Written {
  readonly outcome: Exclude<Outcome, 'failed'>;
  readonly doi: string | undefined;
  /** The record as the service has it now; undefined where there is none. */
  readonly record?: Doi | undefined;
  /** The event that was asked for, and how the state of the record differs from its state. */
  readonly event?: Event | undefined;
  readonly problem?: string | undefined;
  /** What changes, or would in a dry run; undefined where nothing was compared. */
  readonly changes?: readonly Change[] | undefined;
  readonly findings: readonly Finding[];
  /** What a later run of the same file has to know. */
  readonly sent?: Sent | undefined;
}

interface CreateOptions extends Reporting {
  readonly validate: boolean;
  readonly create: ((findings: readonly Finding[]) => Promise<Doi>) | undefined;
}

/** Checks a new record, creates it and compares its state with the one asked for. */
export async function writeNew(
  { parsed, event }: NewRecord,
  { validate, create, ...reporting }: CreateOptions,
): Promise<Written> {
  const findings = findingsIn(parsed, stateAfter(event));
  if (validate) reportFindings(parsed.source, findings, reporting);
  if (create === undefined) return { outcome: 'valid', doi: parsed.doi, findings };
  const record = await create(findings).catch((error: unknown) => {
    throw withLocations(error, parsed);
  });
  const problem = stateProblem(record, 'created', event);
  return { outcome: 'created', doi: record.id, record, event, problem, findings };
}

export interface ChangeOptions extends Reporting {
  readonly context: RunContext;
  /** Called when what is given has no error. */
  readonly connect: () => Promise<Service>;
  readonly send: (<T>(request: () => Promise<T>) => Promise<T>) | undefined;
  /** Finds a record as lists have it; undefined where it is not listed. Without it, the record is read alone. */
  readonly listed?: ((doi: string) => Promise<Doi | undefined>) | undefined;
  /** Whether a DOI that does not exist is as asked. */
  readonly takesMissing?: boolean;
}

export interface RecordChange extends Wish {
  readonly doi: string;
  readonly given?: ParsedRecord | undefined;
  /** What earlier runs have sent of the row. */
  readonly sent?: Sent | undefined;
}

/**
 * Changes a record, or deletes it. It is read first: a record that is as asked is not sent, and the service
 * would create one that does not exist (service.md, W12).
 */
export async function writeChange(options: ChangeOptions, change: RecordChange): Promise<Written> {
  const { connect, takesMissing } = options;
  const { doi, given: whole, sent, ...wish } = change;
  const given = whole && editsOf(whole, sent);
  const asksForEdits =
    wish.event === undefined && !wish.set?.length && !('event' in (given?.attributes ?? {}));
  if (given !== undefined && asksForEdits && isUnedited(given)) {
    return { outcome: 'unchanged', doi, findings: given.row?.findings ?? [] };
  }
  // The warnings come with those about the record as it is.
  if (given !== undefined && wish.validate) reportFindings(given.source, findingsIn(given, 'update'));
  const service = await connect();
  const exported = given?.row === undefined && exportedAt(given) !== undefined ? given : undefined;
  const listed = exported && (await options.listed?.(doi));
  if (exported !== undefined && listed !== undefined && asksForEdits && isAsListed(exported, listed)) {
    return { outcome: 'unchanged', doi: listed.id, record: listed, findings: [] };
  }
  const before = await (takesMissing ? findDoi : getExistingDoi)(service, doi);
  if (before === undefined) return { outcome: 'unchanged', doi, findings: [] };
  if (exported === undefined) return carryOut(options, before, change, given);
  return carryOut(options, before, change, withoutUnedited(exported, (listed ?? before).attributes));
}

async function carryOut(
  { context, connect, send, warn }: ChangeOptions,
  before: Doi,
  { sent: sentBefore, ...wish }: RecordChange,
  given: ParsedRecord | undefined,
): Promise<Written> {
  const plan = planChange(context, before, wish, given);
  const { event, findings, hint } = plan;
  if (wish.validate && findings.length > 0) reportFindings(plan.record().source, findings, { warn, hint });
  const unchanged = plan.isUnchanged ? 'unchanged' : undefined;
  const { state } = before.attributes;
  const after = event === undefined ? STATES.find((one) => one === state) : stateAfter(event);
  if (wish.validate && !unchanged && after !== undefined && plan.body !== undefined) {
    const record = plan.record();
    const attributes = { ...before.attributes, ...record.attributes };
    await refuseForAccount(await connect(), { ...record, attributes }, after);
  }
  // Of a record that is not sent, only what may have been meant otherwise is worth a word.
  const told = unchanged ? ((given?.row?.exported && given.row.findings) ?? []) : findings;
  const found = { doi: before.id, record: before, event, changes: plan.changes, findings: told };
  if (send === undefined) return { ...found, outcome: unchanged ?? 'valid' };
  if (unchanged) return { ...found, outcome: unchanged, sent: given && sentOf(given, before, sentBefore) };
  const service = await connect();
  const record = await send(() => sendPlan(service, plan));
  const outcome = OUTCOME_OF[wish.command];
  if (record === undefined || outcome === 'deleted') return { ...found, outcome, record: undefined };
  const problem = outcome === 'transferred' ? undefined : stateProblem(record, outcome, event);
  return { ...found, outcome, record, problem, sent: given && sentOf(given, record, sentBefore) };
}
