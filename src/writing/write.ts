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
import { findingsIfUnedited, hasStoredValues, isDated } from './edits.ts';
import { findingsIn, placedText, reportFindings } from './findings.ts';
import type { Change } from './ledger/changes.ts';
import type { LineTask, SentEdits } from './ledger/entry.ts';
import { OUTCOME_OF, type OutcomeName } from './ledger/outcome.ts';
import { changesMade, type Plan, planFor } from './plan.ts';
import { type ChangeRequest, isOnlyEdits, type UpdateRequest } from './request.ts';
import { sendPlan } from './send.ts';
import type { WriteRun } from './write-run.ts';

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

/**
 * Reads the stored record, plans the request, checks the plan and sends it. The record is read
 * first because nothing is sent if it needs no change, and because an update of a DOI that does not
 * exist would create it (service.md, W12).
 * @throws {InDoubt} where a new record may or may not exist; {@link CliError}.
 */
export async function write(
  run: WriteRun,
  request: ChangeRequest,
  task: LineTask,
): Promise<WriteOutcome> {
  if (request.command === 'update' && request.set?.some(({ path }) => path[0] === 'xml'))
    await prepareXml();
  const sent = request.command === 'update' ? await run.ledger.sent(request.doi) : undefined;
  const known = request.command === 'update' ? uneditedRow(request, sent) : undefined;
  if (known !== undefined) return known;
  const { before, isUnedited } = await current(run, request);
  if (request.command === 'delete' && before === undefined) return missing(request.doi);
  const plan = planFor(request, before, { suggest: run.io.suggest, sent });
  const { findings, hint } = plan;
  if (request.validate && findings.length > 0) {
    reportFindings(plan.record().source, findings, hint, run.warn);
  }
  // There is nothing to tell about a record without edits, or to remember.
  if (isUnedited) return outcomeUnsent({ ...plan, changes: undefined, sent: undefined }, run.mode);
  if (plan.isUnchanged) return outcomeUnsent(plan, run.mode);
  if (request.validate && run.mode !== 'offline') await refuseForeign(await run.service(), plan);
  if (run.mode !== 'send') {
    if (request.command === 'create' && run.mode === 'preview')
      await refuseTaken(run, plan.record().doi);
    return outcomeUnsent(plan, run.mode);
  }
  return outcomeOf(plan, await sendPlan(run, plan, task), run.warn);
}

/** The outcome of a row without edits, which needs no stored record; undefined for others. */
function uneditedRow(
  request: UpdateRequest,
  sent: SentEdits | undefined,
): WriteOutcome | undefined {
  const { doi, record } = request;
  if (record === undefined || !isOnlyEdits(request)) return undefined;
  const cells = findingsIfUnedited(record, sent);
  return cells && { outcome: 'unchanged', doi, findings: findingsIn(record, 'update', cells) };
}

/** The outcome of a DOI that counts as deleted: it may be misspelled, or of another account. */
function missing(doi: string): WriteOutcome {
  const message = 'does not exist, or cannot be read with these credentials';
  const findings = [findingAt('warning', ['doi'], { message, value: doi })];
  return { outcome: 'unchanged', doi, findings };
}

/**
 * The stored record: none for a new record, one from a list for a file that has its values, else
 * one that is read now. A record is checked alone before a service is needed.
 */
async function current(
  run: WriteRun,
  request: ChangeRequest,
): Promise<{ readonly before?: Doi | undefined; readonly isUnedited?: boolean }> {
  if (request.command === 'create') return {};
  const { record } = request.command === 'update' ? request : {};
  // Warnings are printed later, with the warnings about the stored record.
  if (record !== undefined && request.validate && !isDated(record))
    reportFindings(record.source, findingsIn(record, 'draft update'));
  const service = await run.service();
  const { doi } = request;
  if (request.command === 'update' && record !== undefined && isOnlyEdits(request)) {
    // A list may lack changes of the last seconds.
    const before = await run.listed?.find(doi);
    if (before !== undefined && hasStoredValues(record, before))
      return { before, isUnedited: true };
  }
  const mayBeMissing = request.command === 'delete' && request.mayBeMissing;
  return { before: await (mayBeMissing ? findDoi(service, doi) : getExistingDoi(service, doi)) };
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
  { service, listed, io }: WriteRun,
  doi: string | undefined,
): Promise<void> {
  if (doi === undefined) return;
  const find = listed ? listed.find(doi) : findDoi(await service(), doi);
  const exists = await find.catch((error: unknown) => {
    if (toCliError(error).status !== 403) throw error;
    return true;
  });
  if (!exists) return;
  throw new CliError('rejected', `${doi} exists already`, {
    hint: `to see that record: ${io.suggest('dois', 'get', doi)}`,
    problems: [{ path: 'doi', message: 'exists already' }],
  });
}

/** The outcome of a dry run, or of a record that needs no change. */
function outcomeUnsent(plan: Plan, mode: WriteRun['mode']): WriteOutcome {
  const { request, before, event, changes, isUnchanged } = plan;
  // For an unchanged record, only warnings about cells are reported: a cell may mean an edit.
  const isExport = request.command === 'update' && request.record?.origin?.exported !== undefined;
  const findings = isUnchanged
    ? plan.findings.filter(({ severity }) => isExport && severity === 'warning')
    : plan.findings;
  const doi = before?.id ?? plan.record().doi;
  const outcome = isUnchanged ? 'unchanged' : 'valid';
  const isDryRun = mode !== 'send';
  const sent = isDryRun || before === undefined ? undefined : plan.sent?.(before);
  const respelled = isDryRun && !isUnchanged ? expectedRespelling(plan) : undefined;
  return { outcome, doi, record: before, event, changes, findings, respelled, sent };
}

function outcomeOf(plan: Plan, record: Doi | undefined, warn: WriteRun['warn']): WriteOutcome {
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
