import type { Attributes } from '../api/dois.ts';
import { corrected } from '../metadata/corrections.ts';
import { asIdentifiers, listsDiffer, sameIdentifiers } from '../metadata/identifiers.ts';
import { isStaleXml, KERNEL_4 } from '../metadata/kernel.ts';
import { isNonEmptyString } from '../text/json-values.ts';
import { changesOfRow, type Row } from './row.ts';

/**
 * Attributes as they are sent: corrected where it is sure what was meant, and without the `xml` of a record that
 * was read, next to which a null would take nothing away (service.md, W16).
 */
export function asSent(given: Attributes): Attributes {
  const { attributes } = corrected(given);
  if (!isStaleXml(attributes)) return attributes;
  const { xml: _, ...rest } = attributes;
  return rest;
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
export function effective<T extends { readonly attributes: Attributes; readonly row?: Row | undefined }>(
  record: T,
  stored: Attributes,
): T {
  const given =
    record.row === undefined ? record.attributes : changedBy(record.row, record.attributes, stored);
  const attributes = { ...given };
  if (takesPublisherAway(given, stored)) attributes['publisher'] = { name: null };
  if (editedList(given, stored) === 'alternateIdentifiers') {
    attributes['identifiers'] = asIdentifiers(given['alternateIdentifiers']);
  }
  return { ...record, attributes };
}

/** The attributes that a row makes of those of a stored record: its DOI and what it changes. */
function changedBy(row: Row, { doi }: Attributes, stored: Attributes): Attributes {
  const { attributes } = changesOfRow(row, stored, undefined);
  return { ...(doi === undefined ? {} : { doi }), ...attributes };
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
