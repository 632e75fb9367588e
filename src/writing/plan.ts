import { type Attributes, type Compared, type Doi, doiBody } from '../api/dois.ts';
import { READ_ONLY } from '../api/record-match.ts';
import { type Event, stateAfter } from '../api/states.ts';
import { transferBody } from '../api/transfer.ts';
import { CliError } from '../errors.ts';
import { type ParsedRecord, recordOf, withAttributes } from '../formats/input/record.ts';
import { parseRecord } from '../formats/json/read.ts';
import { type Finding, withLines } from '../metadata/check.ts';
import { comparisonWith } from '../metadata/corrections.ts';
import { METADATA } from '../metadata/kernel.ts';
import { withLandingPage } from '../metadata/landing-page.ts';
import { requiredFindings } from '../metadata/rules.ts';
import { isNonEmptyString } from '../text/json-values.ts';
import type { Suggest } from '../text/shell-word.ts';
import { documentOf, mirroredIdentifiers, updateAttributes, withNumberTexts } from './body.ts';
import { conflictError } from './conflicts.ts';
import { baselineOf, editsOf, exportedEdits, inStoredForm, sentEdits } from './edits.ts';
import { findingsAgainst, findingsIn, outdatedFindings, updateTarget } from './findings.ts';
import { refuseIneffective } from './ineffective.ts';
import { type Change, changesOf } from './ledger/changes.ts';
import type { SentEdits } from './ledger/entry.ts';
import { merge } from './merge.ts';
import type {
  ChangeRequest,
  CreateRequest,
  EventRequest,
  TransferRequest,
  UpdateRequest,
} from './request.ts';
import { assign } from './set.ts';

/** The effect of a request on a record, known before anything is sent. */
export interface Plan {
  readonly request: ChangeRequest;
  /** The record as it is stored; undefined for a new one. */
  readonly before?: Doi | undefined;
  /** The changes to the record; undefined for a new record. */
  readonly changes?: readonly Change[] | undefined;
  /** Whether the stored record needs no change, so that nothing is sent. */
  readonly isUnchanged: boolean;
  readonly findings: readonly Finding[];
  /** A command that corrects the findings. */
  readonly hint?: string | undefined;
  /** The body of the request; undefined for a deletion, and for a creation, which needs the DOI. */
  readonly body?: string | undefined;
  /** How the record is compared with the request; undefined for requests without a file. */
  readonly compared?: Compared | undefined;
  readonly event?: Event | undefined;
  /** The record that lines of findings, and of problems of a refusal, refer to. */
  readonly record: () => ParsedRecord;
  /** The edits to store in the ledger. @param after the record after the request. */
  readonly sent?: ((after: Doi) => SentEdits | undefined) | undefined;
}

interface PlanOptions {
  /** A command to type next, for the same service and profile. */
  readonly suggest: Suggest;
  /** The edits in the ledger, from an earlier run. */
  readonly sent?: SentEdits | undefined;
}

/**
 * Plans a request: a pure function.
 * @param before the record as it is stored; undefined for a new one.
 * @throws {CliError} kind `rejected` for a request without effect (service.md, W4), a record that
 *   cannot be deleted (W13), or edits that conflict with later changes.
 */
export function planFor(
  request: ChangeRequest,
  before: Doi | undefined,
  options: PlanOptions,
): Plan {
  if (request.command === 'create') return planCreation(request);
  if (before === undefined) throw new Error(`there is no record to ${request.command}`);
  if (typeof (before.attributes['state'] ?? '') !== 'string')
    throw new CliError(
      'unexpected',
      `the service gives a state of ${before.id} that is not a text`,
    );
  if (request.command === 'update') return planUpdate(request, before, options);
  if (request.command === 'transfer') return planTransfer(request, before);
  if (request.command === 'delete') return planDeletion(request, before, options);
  return planEvent(request, before, options);
}

function planCreation(request: CreateRequest): Plan {
  const { record, event } = request;
  const findings = findingsIn(record, stateAfter(event));
  const { event: _, ...attributes } = withNumberTexts(record.attributes, record);
  const comparison = comparisonWith(attributes, findings);
  const compared: Compared = (stored) => {
    const [before, sent] = comparison(stored);
    return [before, withLandingPage(sent, record.doi ?? stored['doi'])];
  };
  return { request, isUnchanged: false, findings, compared, event, record: () => record };
}

function planUpdate(request: UpdateRequest, before: Doi, { suggest, sent }: PlanOptions): Plan {
  const { set = [], event: requestedEvent, validate, overwrite = false, restore } = request;
  const stored = before.attributes;
  const record = recordToMerge(request, stored);
  const read = restore
    ? exportedEdits(record, before)
    : editsOf(record, before, { event: requestedEvent, sent });
  // In a record that was read, a stored placeholder is no edit.
  const isRead = baselineOf(record) !== 'stored' && !set.some(({ path }) => path[0] === 'url');
  const kept = isRead ? stored['url'] : undefined;
  const edits = { ...read, mine: withLandingPage(read.mine, request.doi, kept) };
  const mine = inStoredForm(edits, record, stored);
  const { attributes, conflicts } = merge(edits.base, mine, stored);
  if (conflicts.length > 0 && !overwrite) throw conflictError(record, before, edits, conflicts);
  // --set with --no-validate sends even values that only the service writes (service.md, W15).
  const readOnly = set
    .map(({ path }) => String(path[0]))
    .filter((name) => READ_ONLY.has(name))
    .map((name) => [name, record.attributes[name]]);
  const edited = withAttributes(record, {
    ...edits.instructions,
    ...Object.fromEntries(readOnly),
    ...attributes,
  });
  const sentAttributes = updateAttributes(edited.attributes, stored);
  const {
    body,
    event,
    sent: all,
  } = documentOf(withAttributes(edited, sentAttributes), requestedEvent);
  if (validate) refuseIneffective(suggest, event, before);
  // In a record written by hand, values that are already stored are checked as well.
  const isByHand = record.row === undefined && baselineOf(record) === 'stored';
  const meant = isByHand ? record : edited;
  const findings = findingsIn(
    meant,
    updateTarget(before, event),
    findingsAgainst(before, meant, event, edits.findings),
  );
  const compared = comparisonWith(withNumberTexts(sentAttributes, record), findings);
  const [was, sentValues] = compared(stored);
  const isXml = isNonEmptyString(all['xml']);
  const changes = [...updatedValues(was, sentValues, event), ...(isXml ? [XML_CHANGE] : [])];
  // No comparison shows a transfer, or what XML changes.
  const hasOtherEffects = readOnly.length > 0 || 'mode' in all || 'xml' in all;
  return {
    ...{ request, before, changes, findings, body, compared, event },
    isUnchanged: changes.length === 0 && !hasOtherEffects,
    record: () => edited,
    sent: (after) => sentEdits(record, edits, after),
  };
}

/** The record of a file with the values of `--set`; findings are at the lines of the file. */
function recordToMerge(
  { set = [], record = recordOf({}, set.length > 0 ? '--set' : 'the update') }: UpdateRequest,
  stored: Attributes,
): ParsedRecord {
  if (set.length === 0) return record;
  const { attributes } = record;
  return withAttributes(record, { ...attributes, ...assign({ ...stored, ...attributes }, set) });
}

/** XML replaces all metadata; what it changes is known after the update. */
const XML_CHANGE: Change = { path: 'xml', before: undefined, after: 'replaces all metadata' };

/** The changes that a request has made. @param after the record after the request. */
export function changesMade({ before, changes }: Plan, after: Doi): readonly Change[] | undefined {
  if (before === undefined || !changes?.includes(XML_CHANGE)) return changes;
  const names = [...METADATA, 'schemaVersion', 'url', 'state'];
  const now = names.map((name) => [name, after.attributes[name] ?? null]);
  return changesOf(before.attributes, Object.fromEntries(now));
}

function updatedValues(
  stored: Attributes,
  expected: Attributes,
  event: Event | undefined,
): readonly Change[] {
  // Read-only attributes differ in an older copy. The service ignores most (service.md, W15).
  const entries = Object.entries({
    ...expected,
    ...mirroredIdentifiers(stored, expected),
  }).filter(
    ([name, value]) =>
      !READ_ONLY.has(name) &&
      !['event', 'doi', 'prefix', 'suffix', 'mode'].includes(name) &&
      !(name === 'xml' && isNonEmptyString(value)),
  );
  if (event !== undefined) entries.push(['state', stateAfter(event)]);
  return changesOf(stored, Object.fromEntries(entries));
}

function planEvent(request: EventRequest, before: Doi, { suggest }: PlanOptions): Plan {
  const { command: event, reason: requestedReason } = request;
  const { id, attributes } = before;
  const { state, reason: storedReason } = attributes;
  const reason =
    requestedReason === undefined || requestedReason === storedReason
      ? {}
      : { reason: requestedReason };
  const isInState = state === stateAfter(event);
  const isUnchanged = isInState && !('reason' in reason);
  if (!isInState) refuseIneffective(suggest, event, before);
  const findings = isUnchanged ? [] : lackingFindings(event, before);
  const [first] = findings;
  const value = first && `${first.path}=${first.suggestion ?? '…'}`;
  return {
    ...storedPlan(request, before),
    changes: changesOf(attributes, isInState ? reason : { state: stateAfter(event), ...reason }),
    isUnchanged,
    findings,
    hint: value && suggest('dois', 'update', id, '--set', value),
    body: doiBody(isInState ? reason : { event, ...reason }),
    event,
  };
}

/** The common part of plans that send no attributes of a file. */
function storedPlan(
  request: ChangeRequest,
  before: Doi,
): Pick<Plan, 'request' | 'before' | 'isUnchanged' | 'findings' | 'record'> {
  const record = () => parseRecord(before.text, before.id);
  return { request, before, isUnchanged: false, findings: [], record };
}

function planDeletion(request: ChangeRequest, before: Doi, { suggest }: PlanOptions): Plan {
  const { id, attributes } = before;
  const { state } = attributes;
  if (state !== 'draft') {
    const reason = 'only Drafts can be deleted: a DOI that was registered stays for good';
    throw new CliError('rejected', `${id} is ${String(state ?? 'no Draft')}, and ${reason}`, {
      hint:
        state === 'findable'
          ? `to remove it from the index: ${suggest('dois', 'hide', id)}`
          : 'you can set its URL to a page that explains what happened to it',
    });
  }
  const changes = [{ path: 'state', before: state, after: undefined }];
  return { ...storedPlan(request, before), changes };
}

function planTransfer(request: TransferRequest, before: Doi): Plan {
  const { to } = request;
  const { client } = before;
  const changes = client === to ? [] : [{ path: 'repository', before: client, after: to }];
  return {
    ...storedPlan(request, before),
    changes,
    isUnchanged: client === to,
    body: transferBody(to),
  };
}

/** Errors for values that an event needs: the service would refuse it, or not change the state. */
function lackingFindings(
  event: EventRequest['command'],
  { id, attributes, text }: Doi,
): readonly Finding[] {
  // The stored XML adds nothing: the service generates it from the attributes (service.md, W16).
  const { xml: _, ...current } = attributes;
  const lacking = [
    ...(event === 'hide'
      ? []
      : requiredFindings(current, event === 'publish' ? 'findable' : 'registered')),
    ...outdatedFindings(attributes, {}),
  ];
  return withLines(lacking, parseRecord(text, id)).map(({ line: _, ...finding }) => finding);
}
