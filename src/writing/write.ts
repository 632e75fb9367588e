import { type Attributes, type Doi, findDoi, getExistingDoi } from '../api/dois.ts';
import { type Respelling, respelledValues } from '../api/record-match.ts';
import type { Service } from '../api/service.ts';
import { type Event, STATES, stateAfter, stateProblem } from '../api/states.ts';
import { CliError, toCliError } from '../errors.ts';
import { corrected } from '../metadata/corrections.ts';
import { type Finding, findingAt } from '../metadata/findings.ts';
import { withLandingPage } from '../metadata/landing-page.ts';
import { prepareXml } from '../metadata/libxml2.ts';
import { rewritten } from '../metadata/rewriting.ts';
import { lostItems } from '../metadata/xml-attributes.ts';
import { refuseForAccount } from './account.ts';
import { withNumberTexts } from './body.ts';
import { baselineOf, findingsIfUnedited } from './edits.ts';
import { findingsIn, placedText, type Reporting, reportFindings } from './findings.ts';
import type { Change } from './ledger/changes.ts';
import type { SentEdits } from './ledger/entry.ts';
import { OUTCOME_OF, type OutcomeName } from './ledger/outcome.ts';
import type { RunLedger } from './ledger/run-ledger.ts';
import { changesMade, type Plan, planFor } from './plan.ts';
import type { ChangeRequest, UpdateRequest } from './request.ts';
import { type LineTask, type RunContext, sendPlan } from './send.ts';

/** The outcome of a request that did not fail, or of a dry run. */
export interface WriteOutcome {
  readonly outcome: Exclude<OutcomeName, 'failed'>;
  readonly doi: string | undefined;
  /** The record after the request; undefined where it does not exist. */
  readonly record?: Doi | undefined;
  /** The requested event, and a sentence about a state that does not match it. */
  readonly event?: Event | undefined;
  readonly problem?: string | undefined;
  /** The changes, made or planned in a dry run; undefined where nothing was compared. */
  readonly changes?: readonly Change[] | undefined;
  readonly findings: readonly Finding[];
  /** The sent values that the record contains in another form. */
  readonly respelled?: readonly Respelling[] | undefined;
  /** The edits that the ledger stores for later runs of the same file. */
  readonly sent?: SentEdits | undefined;
}

/** The parts of a run that a write needs besides its request. */
export interface WriteContext extends Reporting {
  readonly context: RunContext;
  /** Called only after the file has passed its checks. */
  readonly connect: () => Promise<Service>;
  /** What a dry run of a creation does not check: everything at the service, or taken DOIs. */
  readonly unchecked?: 'service' | 'taken' | undefined;
  /** Undefined in a dry run. */
  readonly writes?: Writes | undefined;
  /** Finds a record in a list: a current record there saves a request. */
  readonly listed?: ((doi: string) => Promise<Doi | undefined>) | undefined;
  /** Whether a DOI that does not exist counts as done. */
  readonly takesMissing?: boolean | undefined;
}

interface Writes {
  readonly ledger: RunLedger;
  /** Sends a request that changes records. */
  readonly send: <T>(request: () => Promise<T>) => Promise<T>;
}

/**
 * Reads the stored record, plans the request, checks the plan and sends it. The record is read
 * first because nothing is sent if it needs no change, and because an update of a DOI that does not
 * exist would create it (service.md, W12).
 * @throws {InDoubt} where a new record may or may not exist; {@link CliError}.
 */
export async function write(
  writeContext: WriteContext,
  request: ChangeRequest,
  task: LineTask,
): Promise<WriteOutcome> {
  const { context, connect, warn, writes, unchecked } = writeContext;
  if (request.command === 'update' && request.set?.some(({ path }) => path[0] === 'xml'))
    await prepareXml();
  const sent = request.command === 'update' ? await writes?.ledger.sent(request.doi) : undefined;
  const unedited =
    request.command === 'update' ? await uneditedOutcome(writeContext, request, sent) : undefined;
  if (unedited !== undefined) return unedited;
  const before =
    request.command === 'create' ? undefined : await storedRecord(writeContext, request.doi);
  if (request.command !== 'create' && before === undefined) {
    return { outcome: 'unchanged', doi: request.doi, findings: [missingFinding(request.doi)] };
  }
  const plan = planFor(request, before, { suggest: context.suggest, sent });
  const { findings, hint } = plan;
  if (request.validate && findings.length > 0) {
    reportFindings(plan.record().source, findings, { warn, hint });
  }
  if (plan.isUnchanged) return outcomeUnsent(plan, writes === undefined);
  if (request.validate && unchecked !== 'service') await refuseForeign(await connect(), plan);
  if (writes === undefined) {
    if (request.command === 'create' && unchecked === undefined)
      await refuseTaken(writeContext, plan.record().doi);
    return outcomeUnsent(plan, true);
  }
  const service = await connect();
  const record = await sendPlan({ context, service, ...writes }, plan, task);
  return outcomeOf(plan, record, warn);
}

/** The warning about a DOI that counts as deleted: it may be misspelled, or of another account. */
function missingFinding(doi: string): Finding {
  const message = 'does not exist, or cannot be read with these credentials';
  return findingAt('warning', ['doi'], { message, value: doi });
}

/** The outcome of an update without edits, known without a request; undefined if not known. */
async function uneditedOutcome(
  { connect, listed }: WriteContext,
  { doi, record, event, set = [], validate, restore = false }: UpdateRequest,
  sent: SentEdits | undefined,
): Promise<WriteOutcome | undefined> {
  if (record === undefined) return undefined;
  const isOnlyEdits = event === undefined && set.length === 0 && !restore;
  const findings = isOnlyEdits ? findingsIfUnedited(record, sent) : undefined;
  if (findings !== undefined) {
    return { outcome: 'unchanged', doi, findings: findingsIn(record, 'update', findings) };
  }
  // In a record that was read from the service, only edits since then are checked.
  const isDated = record.row === undefined && baselineOf(record) === 'dated';
  // Warnings are printed later, with the warnings about the stored record.
  if (validate && !isDated) reportFindings(record.source, findingsIn(record, 'draft update'));
  if (!isOnlyEdits || !isDated || listed === undefined) return undefined;
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

/** The stored record; undefined for a DOI that does not exist, where that counts as done. */
async function storedRecord(
  { connect, takesMissing }: WriteContext,
  doi: string,
): Promise<Doi | undefined> {
  const service = await connect();
  return takesMissing ? findDoi(service, doi) : getExistingDoi(service, doi);
}

/** Refuses a new or changed record that the service would refuse for the repository account. */
async function refuseForeign(
  service: Service,
  { request, before, event, body, record }: Plan,
): Promise<void> {
  if (request.command === 'create') {
    return refuseForAccount(service, request.record, stateAfter(event), request.prefix ?? '');
  }
  const { state } = before?.attributes ?? {};
  const after = event === undefined ? STATES.find((name) => name === state) : stateAfter(event);
  // The account never forbids an update of a Draft.
  if (after === undefined || after === 'draft' || body === undefined) return;
  const edited = record();
  const attributes = { ...before?.attributes, ...edited.attributes };
  await refuseForAccount(service, { ...edited, attributes }, after);
}

/** Refuses a new DOI that exists, as the service would. */
async function refuseTaken(
  { connect, listed, context }: WriteContext,
  doi: string | undefined,
): Promise<void> {
  if (doi === undefined) return;
  const find = listed ?? (async () => findDoi(await connect(), doi));
  const exists = await find(doi).catch((error: unknown) => {
    if (toCliError(error).status !== 403) throw error;
    return true;
  });
  if (!exists) return;
  throw new CliError('rejected', `${doi} exists already`, {
    hint: `to see that record: ${context.suggest('dois', 'get', doi)}`,
    problems: [{ path: 'doi', message: 'exists already' }],
  });
}

/** The outcome of a dry run, or of a record that needs no change. */
function outcomeUnsent(plan: Plan, isDryRun: boolean): WriteOutcome {
  const { request, before, event, changes, isUnchanged } = plan;
  // For an unchanged record, only warnings about cells are reported: a cell may mean an edit.
  const isExport = request.command === 'update' && request.record?.origin?.exported !== undefined;
  const findings = isUnchanged
    ? plan.findings.filter(({ severity }) => isExport && severity === 'warning')
    : plan.findings;
  const doi = before?.id ?? plan.record().doi;
  const outcome = isUnchanged ? 'unchanged' : 'valid';
  const sent = isDryRun || before === undefined ? undefined : plan.sent?.(before);
  const respelled = isDryRun && !isUnchanged ? expectedRespelling(plan) : undefined;
  return { outcome, doi, record: before, event, changes, findings, respelled, sent };
}

function outcomeOf(plan: Plan, record: Doi | undefined, warn: Reporting['warn']): WriteOutcome {
  const { request, before, event, sent } = plan;
  const changes = record === undefined ? plan.changes : changesMade(plan, record);
  const isOfFile = record !== undefined && plan.compared !== undefined;
  const lost = isOfFile ? lostItems(plan.record().attributes, record.attributes) : [];
  for (const finding of lost)
    warn?.(placedText(plan.record().source, { ...finding, dropped: false }));
  const findings = [...plan.findings, ...lost];
  const outcome = OUTCOME_OF[request.command];
  const common = { outcome, doi: record?.id ?? before?.id, event, changes, findings };
  if (record === undefined || outcome === 'deleted') return common;
  // Only an event or a creation sets a state.
  const hasNewState = event !== undefined || outcome === 'created';
  const problem = hasNewState ? stateProblem(record, outcome, event) : undefined;
  const respelled = respelling(plan, record.attributes);
  return { ...common, record, problem, respelled, sent: sent?.(record) };
}

/** The values that the service is expected to rewrite. */
function expectedRespelling(plan: Plan): readonly Respelling[] | undefined {
  const { before, compared, record } = plan;
  if (compared === undefined) return undefined;
  const sent = record();
  const kept = withNumberTexts(corrected(sent.attributes).attributes, sent);
  return respelling(plan, { ...before?.attributes, ...rewritten(kept, before?.attributes) });
}

/**
 * The sent values that the service has rewritten, without values that are known to be dropped;
 * undefined where nothing is compared.
 */
function respelling(
  { compared, findings, record }: Plan,
  stored: Attributes,
): readonly Respelling[] | undefined {
  if (compared === undefined) return undefined;
  const dropped = findings.filter((finding) => finding.dropped);
  const isDropped = ({ path }: Respelling) =>
    dropped.some((finding) => path.startsWith(finding.path) || finding.path.startsWith(`${path}[`));
  const sent = record();
  const { attributes: edited } = corrected(sent.attributes);
  const attributes = withLandingPage(edited, sent.doi ?? stored['doi']);
  const spelled = withNumberTexts(attributes, sent, (json) => json);
  return respelledValues(stored, spelled, compared(stored)).filter((value) => !isDropped(value));
}
