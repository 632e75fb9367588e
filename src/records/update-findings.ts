import type { Attributes, Doi } from '../api/dois.ts';
import { type Event, isEvent, STATES, type State, stateAfter } from '../api/states.ts';
import { checkRecord, type Finding } from '../metadata/check.ts';
import { findingAt } from '../metadata/findings.ts';
import { differenceFinding } from '../metadata/identifiers.ts';
import { isUnsupported, KERNEL_4 } from '../metadata/kernel.ts';
import { requiredFindings } from '../metadata/rules.ts';
import { isStaleXml } from '../metadata/xml.ts';
import { type Path, pathText } from '../text/json-positions.ts';
import { isNonEmptyString, isObject, type JsonObject, listOf } from '../text/json-values.ts';
import type { ParsedRecord } from './document.ts';
import { changesOfRow, withRecord } from './row.ts';
import { editedList, effective, takesPublisherAway } from './sent-record.ts';

/** Findings about an update that depend on the record as it is now. */
export function findingsAgainst(
  before: Doi,
  given: ParsedRecord,
  event: Event | undefined,
): readonly Finding[] {
  const { attributes: stored } = before;
  const record = given.row === undefined ? given : effective(given, stored);
  const { attributes: sent } = record;
  const isDraft = event === undefined && stored['state'] === 'draft';
  return [
    ...(given.row === undefined
      ? []
      : withRecord(changesOfRow(given.row, stored, event).findings, checkRecord(sent, 'update'))),
    ...missing(before, record, event),
    ...lostIdentifiers(stored, sent),
    ...(isDraft ? [] : outdatedFindings(stored, sent)),
    ...(editedList(sent, stored) === 'both' ? [differenceFinding(sent)] : []),
    ...removedPublisher(stored, sent),
    ...unsentXml(stored, sent),
  ];
}

/**
 * A record of a version of the schema that the service no longer supports: it refuses every update of it that
 * names no other version (service.md, S6).
 */
export function outdatedFindings(stored: Attributes, sent: Attributes): readonly Finding[] {
  const { schemaVersion: value } = stored;
  // XML names its own version.
  const namesOther =
    isNonEmptyString(sent['schemaVersion']) || (isNonEmptyString(sent['xml']) && !isStaleXml(sent));
  if (!isUnsupported(value) || namesOther) return [];
  const message = `is ${value}, which the service no longer supports: an update has to name another`;
  return [findingAt('error', ['schemaVersion'], { message, suggestion: KERNEL_4 })];
}

/** XML that was edited in a record that was read: the attributes next to it win (service.md, W16). */
function unsentXml(stored: Attributes, sent: Attributes): readonly Finding[] {
  const { xml } = stored;
  if (!isStaleXml(sent) || !isNonEmptyString(xml) || xml === sent['xml']) return [];
  const message =
    'differs from that of the record and is not sent: the attributes next to it win; send it alone';
  return [findingAt('warning', ['xml'], { message })];
}

/** A null that alone would leave the publisher as it is. */
function removedPublisher(stored: Attributes, sent: Attributes): readonly Finding[] {
  if (!takesPublisherAway(sent, stored)) return [];
  const message = 'null would have no effect; sent as {"name":null}';
  return [findingAt('warning', ['publisher'], { message })];
}

/** What the record would lack in its state. Without an event only the attributes of the update count. */
function missing(before: Doi, { attributes }: ParsedRecord, event: Event | undefined): readonly Finding[] {
  const state: State | undefined =
    event === undefined ? STATES.find((one) => one === before.attributes['state']) : stateAfter(event);
  if (state === undefined || state === 'draft') return [];
  // The service generates the XML from the other attributes (service.md, W16): it adds nothing to them.
  const { xml: _, ...own } = before.attributes;
  const all = requiredFindings({ ...own, ...attributes }, state);
  // An old record may already lack something that this update leaves alone.
  return isEvent(event) ? all : all.filter(({ steps }) => String(steps[0]) in attributes);
}

/**
 * Names in an update that would remove identifiers by accident: by default the service returns publishers and
 * affiliations as plain names (service.md, F9), and sending those back loses the objects (service.md, S1).
 * @param before the record's attributes, read with publisher and affiliations as objects.
 */
function lostIdentifiers(before: Attributes, sent: Attributes): readonly Finding[] {
  const known = new Set(affiliations(before).flatMap(([one]) => (hasMore(one) ? [one['name']] : [])));
  const lost = affiliations(sent).filter(([one]) => typeof one === 'string' && known.has(one));
  const { publisher: name } = sent;
  const { publisher } = before;
  if (typeof name === 'string' && hasMore(publisher) && publisher['name'] === name) {
    lost.unshift([name, ['publisher']]);
  }
  const message =
    'is a name alone and would remove the identifier of the record: give an object, as dois get --affiliation prints it';
  return lost.map(([value, steps]) => ({ severity: 'error', path: pathText(steps), steps, message, value }));
}

/** The affiliations of all people, each with its path. */
function affiliations(attributes: Attributes): [unknown, Path][] {
  return ['creators', 'contributors'].flatMap((name) =>
    listOf(attributes[name]).flatMap((person, index) =>
      listOf(isObject(person) ? person['affiliation'] : undefined).map((one, at): [unknown, Path] => [
        one,
        [name, index, 'affiliation', at],
      ]),
    ),
  );
}

/** Whether a publisher or an affiliation holds more than its name. */
function hasMore(value: unknown): value is JsonObject {
  return (
    isObject(value) &&
    Object.entries(value).some(([name, one]) => name !== 'name' && one !== null && one !== '')
  );
}
