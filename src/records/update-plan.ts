import type { Attributes, Doi } from '../api/dois.ts';
import { READ_ONLY } from '../api/record-match.ts';
import { type Event, stateAfter } from '../api/states.ts';
import type { Finding } from '../metadata/check.ts';
import { heldAttributes } from '../metadata/held.ts';
import { asAlternate, asIdentifiers } from '../metadata/identifiers.ts';
import { assign } from './assign.ts';
import type { Assignment } from './assignment.ts';
import { type Change, changesOf } from './changes.ts';
import { withoutCompleted } from './completed.ts';
import { type DoiDocument, type ParsedRecord, recordOf, requestOf } from './document.ts';
import { findingsIn } from './findings.ts';
import { effective } from './sent-record.ts';
import { findingsAgainst } from './update-findings.ts';

/** An update that is not sent yet, and what it would change. */
export interface UpdatePlan {
  /** The attributes that are given, from a file, from `--set`, or from both. */
  readonly record: ParsedRecord;
  readonly request: DoiDocument;
  /** All findings about the update, and those of them that depend on the record as it is. */
  readonly findings: readonly Finding[];
  readonly against: readonly Finding[];
  /** The attributes as the service would hold them. */
  readonly held: Attributes;
  readonly changes: readonly Change[];
  /** Whether the record is as asked, so that nothing needs to be sent. */
  readonly isUnchanged: boolean;
}

/**
 * Plans an update of a record.
 * @param before the record, with affiliations and publisher as objects.
 * @throws {CliError} kind `usage` for a path of `--set` that does not exist, or for a wrong event.
 */
export function planUpdate(
  before: Doi,
  given: ParsedRecord | undefined,
  set: readonly Assignment[],
  event: Event | undefined,
): UpdatePlan {
  const record = given && set.length === 0 ? given : mergedRecord(before, given, set);
  const sent = effective(record, before.attributes);
  const request = requestOf(sent, event);
  const against = findingsAgainst(before, record, request.event);
  const findings = findingsIn(record, 'update', against);
  const held = heldAttributes(sent.attributes, findings);
  const changes = plannedChanges(before, held, request.event);
  const isUnchanged = changes.length === 0 && !asksForMore(request);
  return { record, request, findings, against, held, changes, isUnchanged };
}

/** A record with the attributes of the file and those of `--set`. */
function mergedRecord(
  before: Doi,
  given: ParsedRecord | undefined,
  set: readonly Assignment[],
): ParsedRecord {
  const own = given?.attributes ?? {};
  const attributes = { ...own, ...assign({ ...before.attributes, ...own }, set) };
  return recordOf(attributes, set.length === 0 ? 'the update' : '--set');
}

function plannedChanges(before: Doi, held: Attributes, event: Event | undefined): readonly Change[] {
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

/** Whether a request has an effect that its attributes do not show: another repository, or XML that is read anew. */
function asksForMore({ body }: DoiDocument): boolean {
  const { data } = JSON.parse(body) as { data: { attributes: Attributes } };
  return 'relationships' in data || 'mode' in data.attributes || 'xml' in data.attributes;
}
