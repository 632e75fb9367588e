import type { Attributes } from '../api/dois.ts';
import { corrected, editsOf } from '../metadata/corrections.ts';
import { asIdentifiers, listsDiffer, sameIdentifiers } from '../metadata/identifiers.ts';
import { KERNEL_4 } from '../metadata/kernel.ts';
import { isStaleXml } from '../metadata/xml.ts';
import { type Edit, edited, removalOf } from '../text/json-edits.ts';
import { type JsonPosition, jsonPositions, type Path, positionAt } from '../text/json-positions.ts';
import { isNonEmptyString } from '../text/json-values.ts';
import { changesOfRow, type Row } from './row.ts';

/** The text of a record, and where in it the attributes are. */
interface RecordText {
  readonly attributes: Attributes;
  readonly text: string;
  readonly positions: JsonPosition;
  readonly at: Path;
  readonly row?: Row | undefined;
}

/**
 * A record as it is sent: corrected where it is sure what was meant, and without the `xml` of a record that
 * was read, next to which a null would take nothing away (service.md, W16). The spelling of the rest stays.
 */
export function asSent<T extends RecordText>(record: T): T {
  const { corrections } = corrected(record.attributes);
  const edits = [...editsOf(corrections, record.positions, record.at)];
  const own = positionAt(record.positions, record.at);
  const removal = own && isStaleXml(record.attributes) ? removalOf(record.text, own, 'xml') : undefined;
  return withEdits(record, removal === undefined ? edits : [...edits, removal]);
}

/**
 * The version of the schema that a create names in place of the record: with it the service names the
 * properties that it refuses (service.md, S6). XML names its own, and stays as it is without another.
 */
export function defaultSchemaVersion(attributes: Attributes): string | undefined {
  if ('schemaVersion' in attributes) return undefined;
  return isNonEmptyString(attributes['xml']) && !isStaleXml(attributes) ? undefined : KERNEL_4;
}

/**
 * An update in the form that has its effect on the record as it is. Both lists of identifiers say what was
 * edited in one of them: the service ignores `alternateIdentifiers` next to `identifiers` (service.md, S8). A
 * null for the publisher is an object with that null (service.md, W18). Of a row, only the attributes in which
 * a cell differs from the record are sent, complete with what has no column.
 * @param stored the attributes of the record as it is.
 */
export function effective<T extends RecordText>(given: T, stored: Attributes): T {
  const record = given.row === undefined ? given : changedBy(given.row, given, stored);
  const { attributes, positions, at } = record;
  const replaced = new Map<string, string>();
  if (takesPublisherAway(attributes, stored)) replaced.set('publisher', '{"name":null}');
  if (editedList(attributes, stored) === 'alternateIdentifiers') {
    replaced.set('identifiers', JSON.stringify(asIdentifiers(attributes['alternateIdentifiers'])));
  }
  const edits = [...replaced].flatMap(([name, text]) => {
    const position = positionAt(positions, [...at, name]);
    return position === undefined ? [] : [{ start: position.start, end: position.end, text }];
  });
  return withEdits(record, edits);
}

/** The record that a row makes of a stored one: its DOI and what it changes. */
function changedBy<T extends RecordText>(row: Row, record: T, stored: Attributes): T {
  const { doi } = record.attributes;
  const { attributes: changed } = changesOfRow(row, stored, undefined);
  const attributes = { ...(doi === undefined ? {} : { doi }), ...changed };
  const text = JSON.stringify(attributes);
  return { ...record, attributes, text, positions: jsonPositions(text), at: [] };
}

/** Whether an update is to remove the publisher of a record. */
export function takesPublisherAway(sent: Attributes, stored: Attributes): boolean {
  return sent['publisher'] === null && (stored['publisher'] ?? null) !== null;
}

/** The list of identifiers that an update edits, of two that differ; `both` when it is not clear. */
export function editedList(
  sent: Attributes,
  stored: Attributes,
): 'identifiers' | 'alternateIdentifiers' | 'both' | undefined {
  if (!listsDiffer(sent)) return undefined;
  const before = stored['identifiers'];
  if (sameIdentifiers(sent['identifiers'], before)) return 'alternateIdentifiers';
  const alternate = asIdentifiers(sent['alternateIdentifiers']);
  return sameIdentifiers(alternate, before) ? 'identifiers' : 'both';
}

function withEdits<T extends RecordText>(record: T, edits: readonly Edit[]): T {
  if (edits.length === 0) return record;
  const text = edited(record.text, edits);
  const attributes = record.at.reduce<unknown>(
    (value, step) => (value as Record<string | number, unknown>)[step],
    JSON.parse(text),
  );
  return { ...record, attributes: attributes as Attributes, text, positions: jsonPositions(text) };
}
