import { isNonEmptyString, type JsonObject } from '../text/json-values.ts';
import { type Finding, findingAt } from './findings.ts';
import { isStaleXml, isUnsupported, KERNEL_4, METADATA } from './kernel.ts';
import { prepareXml } from './libxml2.ts';
import { type DataciteXml, MalformedXml, readDataciteXml } from './xml.ts';

/** The XML that a request sends, of any schema; undefined without XML, or for another format. */
function sentXml(attributes: JsonObject): string | undefined {
  const { xml } = attributes;
  if (!isNonEmptyString(xml) || isStaleXml(attributes)) return undefined;
  return /^[\s\ufeff]*</.test(Buffer.from(xml.slice(0, 1000), 'base64').toString())
    ? xml
    : undefined;
}

/** Loads what reads XML if a request sends some; {@link xmlOf} and all checks then read it. */
export async function prepareXmlOf(attributes: JsonObject): Promise<void> {
  if (sentXml(attributes) !== undefined) await prepareXml();
}

/** The last document: several checks of a record read the same one. */
let last: { readonly xml: string; readonly read: ReturnType<typeof readDataciteXml> } | undefined;

/** The DataCite XML that a request sends; undefined without XML, or for another format. */
export function xmlOf(attributes: JsonObject): DataciteXml | MalformedXml | undefined {
  const xml = sentXml(attributes);
  if (xml === undefined) return undefined;
  if (last?.xml !== xml) last = { xml, read: readDataciteXml(Buffer.from(xml, 'base64')) };
  return last.read;
}

/**
 * Whether a request also contains metadata next to XML, from which the service makes new XML (W16).
 */
const hasOthers = (attributes: JsonObject) =>
  METADATA.some((name) => (attributes[name] ?? null) !== null);

/** A problem that the service refuses even in a Draft (service.md, S4). */
const MISSING_TYPE = /^resource\/contributors\/.*@contributorType$/;

/** The finding about XML that is neither DataCite's nor Crossref's (service.md, S9). */
function unknownXml(attributes: JsonObject, registers: boolean): Finding[] {
  const text = Buffer.from(sentXml(attributes) ?? '', 'base64').toString();
  if (text === '' || text.includes('crossref_result')) return [];
  const message =
    'is not a resource in the namespace of a kernel: the service reads nothing from it';
  const severity = registers && !hasOthers(attributes) ? 'error' : 'warning';
  return [findingAt(severity, ['xml'], { message, suggestion: KERNEL_4 })];
}

/**
 * The findings about `xml`, and about nulls that it makes ineffective.
 * @param registers whether the target is a registered record: a Draft may contain any XML.
 */
export function xmlFindings(attributes: JsonObject, registers: boolean): Finding[] {
  const { schemaVersion } = attributes;
  const xml = xmlOf(attributes);
  const isSent = isNonEmptyString(attributes['xml']) && !isStaleXml(attributes);
  const findings = METADATA.filter((name) => isSent && attributes[name] === null).map((name) =>
    findingAt('warning', [name], {
      message: 'null removes nothing, because the xml next to it wins',
    }),
  );
  if (xml === undefined) return [...findings, ...unknownXml(attributes, registers)];
  if (xml instanceof MalformedXml) {
    const place = `at line ${xml.line}, column ${xml.column}`;
    const message = `is not well-formed XML: ${xml.message} ${place}`;
    return [...findings, findingAt('error', ['xml'], { message })];
  }
  const severity = registers ? 'error' : 'warning';
  const { kernel } = xml;
  const isOld = isUnsupported(kernel);
  const isAlone = isOld || !hasOthers(attributes);
  if (kernel !== KERNEL_4 && isAlone && !isNonEmptyString(schemaVersion)) {
    // The service checks such XML against a schema of another namespace (service.md, S6).
    const verdict = isOld ? 'no longer supports' : 'refuses';
    const message = `is of ${kernel}, which the service ${verdict}`;
    return [...findings, findingAt(severity, ['xml'], { message, suggestion: KERNEL_4 })];
  }
  if (hasOthers(attributes)) return findings;
  const problems = xml.problems.map(({ isUnreadable, isMild, ...problem }) => {
    const isRefusedAlways =
      isUnreadable || ((schemaVersion ?? kernel) === KERNEL_4 && MISSING_TYPE.test(problem.path));
    const usual = isRefusedAlways ? 'error' : severity;
    return { ...findingAt(isMild ? 'warning' : usual, ['xml'], problem), ...problem };
  });
  return [...findings, ...problems];
}

/** Warnings about lists of which a record has fewer items than the XML that was sent (S12). */
export function lostItems(sent: JsonObject, stored: JsonObject): Finding[] {
  const xml = xmlOf(sent);
  if (xml === undefined || xml instanceof MalformedXml) return [];
  return Object.entries(xml.counts).flatMap(([name, count]) => {
    // Attributes next to the XML win.
    const list = (sent[name] ?? null) === null ? stored[name] : undefined;
    if (!Array.isArray(list) || list.length >= count) return [];
    const message = `the service kept ${list.length} of ${count} ${name}`;
    return [findingAt('warning', [name], { message, dropped: true })];
  });
}
