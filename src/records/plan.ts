import { type Attributes, type Doi, deleteDoi, doiBody, updateDoi } from '../api/dois.ts';
import { READ_ONLY, withoutCompleted } from '../api/record-match.ts';
import type { Service } from '../api/service.ts';
import { type Event, stateAfter } from '../api/states.ts';
import { repositoryIn, transferBody, transferDoi } from '../api/transfer.ts';
import { CliError } from '../errors.ts';
import { type Finding, withLines } from '../metadata/check.ts';
import { heldAttributes } from '../metadata/corrections.ts';
import { asAlternate, asIdentifiers } from '../metadata/identifiers.ts';
import { requiredFindings } from '../metadata/rules.ts';
import { xmlDifference } from '../metadata/xml-attributes.ts';
import { assign } from './assign.ts';
import type { Assignment } from './assignment.ts';
import { type Change, changesOf } from './changes.ts';
import { type ParsedRecord, parseRecord, recordOf } from './document.ts';
import { refuseConflicts } from './edits.ts';
import type { WriteCommand } from './entry.ts';
import { findingsAgainst, findingsIn, outdatedFindings, withLocations } from './findings.ts';
import type { RunContext } from './run-context.ts';
import { type DoiDocument, effective, requestOf } from './sent-record.ts';

/** The events with a command of their own; `show` has the effect of `publish` on a Registered record. */
type EventVerb = Exclude<Event, 'show'>;

/** What the command line asks of a record. */
export interface Wish {
  readonly command: Exclude<WriteCommand, 'create'>;
  readonly event?: Event | undefined;
  readonly set?: readonly Assignment[];
  readonly reason?: string | undefined;
  /** The repository account that a transfer gives the DOI to, in lower case. */
  readonly to?: string | undefined;
  readonly validate: boolean;
  /** Whether what somebody else has written since the export is replaced. */
  readonly overwrite?: boolean | undefined;
}

interface Plan {
  readonly before: Doi;
  readonly changes: readonly Change[];
  /** Whether the record is as asked, so that nothing needs to be sent. */
  readonly isUnchanged: boolean;
  readonly findings: readonly Finding[];
  /** The command that helps where findings are errors. */
  readonly hint?: string | undefined;
  /** The body of the request; a deletion has none. */
  readonly body?: string;
  /** What the service stores of it, where that is not all. */
  readonly held?: Attributes;
  readonly event?: Event | undefined;
  readonly to?: string;
  /** The record that findings, and the problems of a refusal, are about. */
  readonly record: () => ParsedRecord;
}

/**
 * Plans a change of a record. What would have no effect (service.md, W4), cannot be deleted (W13), or was
 * changed by somebody else since the export is an error. @param before with affiliations and publisher as
 * objects.
 */
export function planChange(context: RunContext, before: Doi, wish: Wish, given?: ParsedRecord): Plan {
  const { command } = wish;
  if (typeof (before.attributes['state'] ?? '') !== 'string')
    throw new CliError('unexpected', `the service gives a state of ${before.id} that is not a text`);
  if (command === 'update') return planUpdate(context, before, wish, given);
  if (command === 'transfer') return planTransfer(before, wish.to ?? '');
  return command === 'delete' ? planDeletion(context, before) : planEvent(context, command, before, wish);
}

/** Sends a change, and returns the record as it is then. A lost answer is resolved by reading the record. */
export async function sendPlan(
  service: Service,
  { before, body, held, to, record }: Plan,
): Promise<Doi | undefined> {
  if (to !== undefined) return transferDoi(service, before.id, to);
  if (body === undefined) {
    await deleteDoi(service, before.id);
    return undefined;
  }
  return updateDoi(service, before, body, held).catch((error: unknown) => {
    throw withLocations(error, record());
  });
}

function planUpdate(
  context: RunContext,
  before: Doi,
  { set = [], event: wanted, validate, overwrite = false }: Wish,
  given: ParsedRecord | undefined,
): Plan {
  const record = given && set.length === 0 ? given : mergedRecord(before, given, set);
  const sent = effective(record, before.attributes);
  const request = requestOf(sent, wanted);
  const { body, event } = request;
  if (validate) refuseIneffective(context, event, before);
  const findings = findingsIn(record, 'update', findingsAgainst(before, record, event));
  const held = heldAttributes(sent.attributes, findings);
  const difference = xmlDifference(before.attributes, sent.attributes);
  const { xml: _, ...withoutXml } = sent.attributes;
  const changes = difference
    ? [...updatedValues(before, withoutXml, event), ...changesOf(...difference)]
    : updatedValues(before, held, event);
  if (given !== undefined && !overwrite) refuseConflicts(given, before, changes);
  // Without checks, a value is sent on request although its change does not count (service.md, W15).
  const setsReadOnly = set.some(({ path }) => READ_ONLY.has(String(path[0])));
  const isUnchanged =
    changes.length === 0 && !asksForMore(request, difference !== undefined) && !setsReadOnly;
  return { before, changes, isUnchanged, findings, body, held, event, record: () => record };
}

function mergedRecord(
  before: Doi,
  given: ParsedRecord | undefined,
  set: readonly Assignment[],
): ParsedRecord {
  const own = given?.attributes ?? {};
  const attributes = { ...own, ...assign({ ...before.attributes, ...own }, set) };
  return recordOf(attributes, set.length === 0 ? 'the update' : '--set');
}

function updatedValues(before: Doi, held: Attributes, event: Event | undefined): readonly Change[] {
  // Read-only attributes differ in an older copy of the record. The service ignores most (service.md, W15).
  const own = Object.entries({ ...held, ...mirroredIdentifiers(before.attributes, held) }).filter(
    ([name]) => !READ_ONLY.has(name) && !['event', 'doi', 'prefix', 'suffix', 'mode'].includes(name),
  );
  if (event !== undefined) own.push(['state', stateAfter(event)]);
  return changesOf(withoutCompleted(before.attributes, held), Object.fromEntries(own));
}

/** The other list of identifiers: the service changes both (service.md, S8). */
function mirroredIdentifiers(stored: Attributes, sent: Attributes): Attributes {
  if ('identifiers' in sent && 'alternateIdentifiers' in stored) {
    return { alternateIdentifiers: asAlternate(sent['identifiers']) };
  }
  const isAlone = 'alternateIdentifiers' in sent && !('identifiers' in sent) && 'identifiers' in stored;
  return isAlone ? { identifiers: asIdentifiers(sent['alternateIdentifiers']) } : {};
}

/** Whether a request does more than its attributes show: XML that is not compared. */
function asksForMore({ body }: DoiDocument, isComparedXml: boolean): boolean {
  const { data } = JSON.parse(body) as { data: { attributes: Attributes } };
  return 'mode' in data.attributes || ('xml' in data.attributes && !isComparedXml);
}

function planEvent(context: RunContext, event: EventVerb, before: Doi, wish: Wish): Plan {
  const { id, attributes } = before;
  const { state, reason: known } = attributes;
  const own = wish.reason === undefined || wish.reason === known ? {} : { reason: wish.reason };
  const isThere = state === stateAfter(event);
  const isUnchanged = isThere && !('reason' in own);
  if (!isThere) refuseIneffective(context, event, before);
  const findings = isUnchanged ? [] : lackingFindings(event, before);
  const [first] = findings;
  const value = first && `${first.path}=${first.suggestion ?? '…'}`;
  return planFor(before, {
    changes: changesOf(attributes, isThere ? own : { state: stateAfter(event), ...own }),
    isUnchanged,
    findings,
    hint: value && context.suggest('dois', 'update', id, '--set', value),
    body: doiBody(isThere ? own : { event, ...own }),
    event,
  });
}

function planFor(before: Doi, plan: Pick<Plan, 'changes'> & Partial<Omit<Plan, 'before' | 'record'>>): Plan {
  const record = () => parseRecord(before.text, before.id);
  return { isUnchanged: false, findings: [], ...plan, before, record };
}

function planDeletion(context: RunContext, before: Doi): Plan {
  const { id, attributes } = before;
  const { state } = attributes;
  if (state !== 'draft') {
    throw new CliError(
      'rejected',
      `${id} is ${String(state ?? 'no Draft')}, and only Drafts can be deleted: a DOI that was registered stays for good`,
      {
        hint:
          state === 'findable'
            ? `to remove it from the index: ${context.suggest('dois', 'hide', id)}`
            : 'you can set its URL to a page that explains what happened to it',
      },
    );
  }
  return planFor(before, { changes: [{ path: 'state', before: state, after: undefined }] });
}

function planTransfer(before: Doi, to: string): Plan {
  const owner = repositoryIn(before);
  const changes = owner === to ? [] : [{ path: 'repository', before: owner, after: to }];
  return planFor(before, { changes, isUnchanged: owner === to, body: transferBody(to), to });
}

/** Refuses an event that the service would ignore in the present state of a record (service.md, W4). */
function refuseIneffective(
  context: RunContext,
  event: Event | undefined,
  { id, attributes: { state } }: Doi,
): void {
  const [why, toReach, verb] = INEFFECTIVE[`${event} ${state}`] ?? [];
  if (why === undefined || verb === undefined) return;
  throw new CliError('rejected', `${id} is ${why}`, {
    hint: `to ${toReach}: ${context.suggest('dois', verb, id)}`,
  });
}

/** Events without effect by event and state: why, and the command for what was probably meant. */
const INEFFECTIVE: Readonly<Record<string, readonly [why: string, toReach: string, verb: EventVerb]>> = {
  'show draft': ['a Draft, and show is for Registered records', 'make it Findable', 'publish'],
  'hide draft': ['a Draft, which is already hidden from others', 'register it, not in the index', 'register'],
  'register findable': ['Findable, which includes being registered', 'remove it from the index', 'hide'],
};

/** What a record lacks for an event: the service would refuse it too, or leave the record in its state. */
function lackingFindings(event: EventVerb, { id, attributes, text }: Doi): readonly Finding[] {
  // The service generates the XML from the other attributes (service.md, W16): it adds nothing to them.
  const { xml: _, ...own } = attributes;
  const lacking = [
    ...(event === 'hide' ? [] : requiredFindings(own, event === 'publish' ? 'findable' : 'registered')),
    ...outdatedFindings(attributes, {}),
  ];
  return withLines(lacking, parseRecord(text, id)).map(({ line: _, ...finding }) => finding);
}
