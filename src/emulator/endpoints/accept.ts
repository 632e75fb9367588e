import { completed } from '../records/metadata/complete.ts';
import { permitted } from '../records/metadata/permit.ts';
import { isDataciteXml, readDataciteXml } from '../records/metadata/read-xml.ts';
import { type Item, isBlank, isItem } from '../records/metadata/values.ts';
import { dataciteXml } from '../records/metadata/write-xml.ts';

/** Metadata: if one of these attributes is sent, the XML of the record is generated again. */
const METADATA =
  `creators contributors titles publisher publicationYear types descriptions container sizes formats
  version language dates identifiers relatedIdentifiers relatedItems fundingReferences geoLocations
  rightsList subjects contentUrl`.split(/\s+/);

/** The sent attributes that the service accepts. */
export interface Accepted {
  /** The attributes of the record. */
  readonly attributes: Item;
  readonly doi: unknown;
  readonly prefix: unknown;
  readonly event: unknown;
  /** Whether even a Draft is checked. */
  readonly checked: boolean;
  /** DataCite XML that is stored as sent; empty if it is removed. */
  readonly xml: string | undefined;
  /** Types and language before the service completes them: the XML contains them in this form. */
  readonly early: Item;
  /** Whether the XML of the record is generated again from its attributes. */
  readonly rewritten: boolean;
}

/**
 * Reads sent attributes as the service does. Metadata may also be sent as XML in base64. Attributes
 * next to it win, except nulls, which do not remove values of the XML (service.md, W16).
 */
export function accept(item: Item): Accepted {
  const { xml: encoded, doi, prefix, event, should_validate: checked, ...sent } = permitted(item);
  const text = isBlank(encoded) ? undefined : decoded(String(encoded));
  const isXml = text !== undefined && isDataciteXml(text);
  const read: Item = isXml ? readDataciteXml(text) : {};
  const merged: Record<string, unknown> = { ...sent };
  for (const name of [...METADATA, 'url', 'schemaVersion']) {
    if (Object.hasOwn(read, name)) merged[name] = sent[name] ?? read[name];
  }
  // A null does not change these (service.md, W18).
  for (const name of ['publisher', 'landingPage']) if (merged[name] === null) delete merged[name];
  const hasMetadata =
    METADATA.some((name) => Object.hasOwn(sent, name)) || !isBlank(sent['schemaVersion']);
  const asSent = isXml && !hasMetadata;
  const rewritten = !asSent && (text !== undefined || hasMetadata);
  const { types, language } = merged;
  const sentTypes = types ?? {};
  const untyped =
    types !== undefined &&
    isItem(sentTypes) &&
    isBlank(sentTypes['schemaOrg']) &&
    (sentTypes['resourceTypeGeneral'] ?? null) === null;
  const removed = encoded !== undefined && text === undefined ? '' : undefined;
  return {
    early: { ...(untyped && { types: {} }), ...(isBlank(language) ? {} : { language }) },
    attributes: completed(merged),
    doi,
    prefix,
    event,
    checked: checked === true || checked === 'true',
    xml: asSent ? text : removed,
    rewritten,
  };
}

/** The XML of a record after a write: as sent, generated again, or unchanged. */
export function xmlAfter(
  { xml, rewritten, early }: Accepted,
  attributes: Item,
  before: string | undefined,
): string | undefined {
  const doi = String(attributes['doi']).toUpperCase();
  if (rewritten) return dataciteXml({ ...attributes, doi, ...early });
  if (!xml) return xml === '' ? undefined : before;
  // The DOI of the record replaces the one in the XML.
  return xml.replace(
    /<((?:[\w.-]+:)?identifier)(\b[^>]*?)(?:\/>|>[^<]*<\/\1\s*>)/,
    (_, name: string, rest: string) => `<${name}${rest}>${doi}</${name}>`,
  );
}

function decoded(encoded: string): string {
  const text = Buffer.from(encoded, 'base64').toString().trim();
  // `trim` also removes a byte order mark. The service reads these tags as text.
  return text.replaceAll(/<(\/?(?:strong|em|b|i|code|pre|sub|sup|br))>/g, '&lt;$1&gt;');
}
