import { isNonEmptyString, type JsonObject, type Path } from '../text/json-values.ts';
import { type Finding, findingAt } from './findings.ts';
import type { SchemaVersion } from './schema.ts';

const NAMESPACE = 'http://datacite.org/schema/kernel-';

/** The `schemaVersion` for which the service checks records and reports the wrong properties. */
export const KERNEL_4 = `${NAMESPACE}4`;

/** Whether the service refuses a record of this version of the schema (service.md, S6). */
export function isUnsupported(version: unknown): version is string {
  return typeof version === 'string' && /^(2\.[12]|3(\.[01])?)$/.test(kernelOf(version));
}

/** The schema to check a record against: 4.7, unless `schemaVersion` is an older one. */
export function schemaFor({ schemaVersion }: JsonObject): SchemaVersion {
  return typeof schemaVersion === 'string' && /^4\.[4-6]$/.test(kernelOf(schemaVersion))
    ? '4.6'
    : '4.7';
}

/** The findings about `schemaVersion` (service.md, S6). */
export function kernelFindings({ schemaVersion: value }: JsonObject): Finding[] {
  if (!isNonEmptyString(value) || /^4(\.[0-3])?$/.test(kernelOf(value))) return [];
  const steps = ['schemaVersion'];
  const suggestion = KERNEL_4;
  if (isUnsupported(value)) {
    const message = 'is a version of the schema that the service no longer supports';
    return [findingAt('error', steps, { message, value, suggestion })];
  }
  const message =
    'is not a version that the service checks: it skips the check, and its errors name no property';
  return [findingAt('warning', steps, { message, value, suggestion })];
}

function kernelOf(version: string): string {
  return version.startsWith(NAMESPACE) ? version.slice(NAMESPACE.length) : '';
}

/** Attributes that the service can also read from XML. */
export const METADATA: readonly string[] =
  `creators contributors titles publisher publicationYear types descriptions container sizes
   formats version language dates identifiers alternateIdentifiers relatedIdentifiers relatedItems
   fundingReferences geoLocations rightsList subjects contentUrl`.split(/\s+/);

/**
 * Whether the service refuses a wrong value even in a Draft, or changes it to another year. A Draft
 * may contain any other metadata (service.md, S4, S8, S9).
 */
export function isWrongInDraft([name, ...more]: Path, kernel: unknown): boolean {
  const last = more.at(-1);
  if (last === 'contributorType') return name === 'contributors' && kernel === KERNEL_4;
  if (name === 'alternateIdentifiers') return more.length > 1;
  if (name === 'version' || name === 'publicationYear') return true;
  return last === 'rights' || !['schemaVersion', ...METADATA].includes(String(name));
}

/** Whether a record was read from the service: it has members that only the service writes. */
export function wasRead({ created, updated, metadataVersion }: JsonObject): boolean {
  return (
    isNonEmptyString(created) || isNonEmptyString(updated) || typeof metadataVersion === 'number'
  );
}

/**
 * Whether to leave `xml` out of a request: in a record that was read, it would undo nulls (W16).
 */
export function isStaleXml(attributes: JsonObject): boolean {
  const hasMetadata = METADATA.some((name) => name in attributes);
  return isNonEmptyString(attributes['xml']) && hasMetadata && wasRead(attributes);
}
