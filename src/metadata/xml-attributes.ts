import { bareIdentifier } from '../api/record-match.ts';
import { isNonEmptyString, isObject, type JsonObject, type Path } from '../text/json-values.ts';
import { type Finding, findingAt } from './findings.ts';
import { xmlTextFindings } from './html.ts';
import { isStaleXml, isUnsupported, KERNEL_4, METADATA } from './kernel.ts';
import { itemCounts } from './xml/item-counts.ts';
import { MalformedXml } from './xml/parse.ts';
import { type DataciteXml, readDataciteXml } from './xml/read.ts';

/** The DataCite XML that a request sends; undefined without XML, or for another format. */
export function xmlOf(attributes: JsonObject): DataciteXml | MalformedXml | undefined {
  const { xml } = attributes;
  if (!isNonEmptyString(xml) || isStaleXml(attributes)) return undefined;
  const text = Buffer.from(xml, 'base64').toString('utf8');
  if (!/^\s*</.test(text.replace(/^\ufeff/, ''))) return undefined;
  return readDataciteXml(text);
}

/**
 * Whether a request also contains metadata next to XML, from which the service makes new XML (W16).
 */
const hasOthers = (attributes: JsonObject) =>
  METADATA.some((name) => (attributes[name] ?? null) !== null);

interface WithXml {
  readonly attributes: JsonObject;
  /** The `schemaVersion` that the service assumes. */
  readonly kernel: unknown;
  /** Adds places in the XML to findings, without findings that its structure explains. */
  readonly placed: (findings: readonly Finding[]) => readonly Finding[];
}

/**
 * Attributes with the values that the service reads from their DataCite XML (service.md, W16);
 * undefined without such XML.
 */
export function withXml(record: JsonObject): WithXml | undefined {
  const xml = xmlOf(record);
  if (xml === undefined || xml instanceof MalformedXml) return undefined;
  const present = Object.fromEntries(
    Object.entries(record).filter(([, value]) => (value ?? null) !== null),
  );
  const { xml: _, ...rest } = present;
  const isOfXml = ([name]: Path) =>
    name !== undefined && !(name in present) && name in xml.attributes;
  const explained = hasOthers(record) ? new Set<string>() : withAncestors(xml);
  return {
    attributes: { ...xml.attributes, ...(hasOthers(record) ? rest : present) } as JsonObject,
    kernel: record['schemaVersion'] ?? xml.kernel,
    placed: (findings) =>
      findings.flatMap((finding) => {
        if (!isOfXml(finding.steps)) return [finding];
        const place = xml.place(finding.steps);
        return explained.has(place.path) ? [] : [{ ...finding, ...place }];
      }),
  };
}

/** The paths of the problems of XML, and of the elements around them. */
function withAncestors({ problems }: DataciteXml): ReadonlySet<string> {
  const paths = new Set<string>();
  for (const { path } of problems) {
    for (let end = path.length; end > 0; end = path.lastIndexOf('/', end - 1))
      paths.add(path.slice(0, end));
  }
  return paths;
}

const MISSING_TYPE = /^resource\/contributors\/.*@contributorType$/;

/** The finding about XML that is neither DataCite's nor Crossref's (service.md, S9). */
function unknownXml(attributes: JsonObject, registers: boolean): Finding[] {
  const { xml } = attributes;
  const text =
    isNonEmptyString(xml) && !isStaleXml(attributes) ? Buffer.from(xml, 'base64').toString() : '';
  if (!/^[\s\ufeff]*</.test(text) || text.includes('crossref_result')) return [];
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
  findings.push(...cutFindings(xml, attributes));
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
  const problems = xml.problems.map(({ isUnreadable, isDropped, ...problem }) => {
    if (isDropped) return { ...findingAt('warning', ['xml'], problem), ...problem };
    const isRefusedAlways =
      isUnreadable || ((schemaVersion ?? kernel) === KERNEL_4 && MISSING_TYPE.test(problem.path));
    return { ...findingAt(isRefusedAlways ? 'error' : severity, ['xml'], problem), ...problem };
  });
  return [...findings, ...problems];
}

/**
 * Warnings about texts in XML from which the service removes parts (service.md, S10).
 * @param others attributes next to the XML, which win.
 */
function cutFindings(xml: DataciteXml, others: JsonObject): Finding[] {
  return xmlTextFindings(xml.attributes)
    .filter(({ steps: [name] }) => (others[String(name)] ?? null) === null)
    .map(({ steps, ...finding }) => ({ ...finding, steps: ['xml'], ...xml.place(steps) }));
}

/** Attributes of XML that the service stores unchanged, apart from spelling. */
const AS_IS = ['titles', 'publicationYear', 'publisher', 'version'];
/** Titles that the service drops, and texts that it changes as HTML: entities, broken tags. */
const REMADE = /\{\}|&(?!(?:lt|gt|amp);)#?\w+;|<(?!\/?[a-z][^<>]*>)/i;

/** The attributes that the service certainly stores from the XML of a request. */
export function storedFromXml(attributes: JsonObject): JsonObject {
  const xml = xmlOf(attributes);
  if (xml === undefined || xml instanceof MalformedXml) return {};
  // A Draft stores other values for elements that the schema refuses.
  const isSure = (name: string) =>
    !xml.problems.some(({ path }) => path.startsWith(`resource/${name}`));
  const stored = Object.entries(xml.attributes).filter(
    ([name, value]) => AS_IS.includes(name) && isSure(name) && !REMADE.test(JSON.stringify(value)),
  );
  return Object.fromEntries(stored);
}

/** The values of the stored XML and of the XML of an update, for a comparison. */
export function xmlDifference(
  stored: JsonObject,
  sent: JsonObject,
): readonly [before: JsonObject, after: JsonObject] | undefined {
  const { xml } = stored;
  const [before, after] = [isNonEmptyString(xml) ? xmlOf({ xml }) : undefined, xmlOf(sent)];
  if (before === undefined || after === undefined) return undefined;
  if (before instanceof MalformedXml || after instanceof MalformedXml) return undefined;
  const [old, now] = [before.attributes, after.attributes];
  // A list that the new XML lacks is removed, but no other value is (service.md, W16). Attributes
  // next to the XML win.
  const lists = Object.entries(old).filter(([, value]) => Array.isArray(value));
  const names = Object.keys({ ...Object.fromEntries(lists), ...now }).filter(
    (name) => !(name in sent),
  );
  const changed = names.map((name) => [name, withBareIdentifiers(now[name] ?? null)]);
  const { schemaVersion = null } = stored;
  return [
    { ...(withBareIdentifiers(old) as JsonObject), schemaVersion },
    { ...Object.fromEntries(changed), schemaVersion: schemaVersion && after.kernel },
  ];
}

/** The service stores identifiers of XML with a resolver (service.md, W17). */
function withBareIdentifiers(value: unknown, member = ''): unknown {
  if (Array.isArray(value)) return value.map((item) => withBareIdentifiers(item));
  if (isObject(value))
    return Object.fromEntries(
      Object.entries(value).map(([name, part]) => [name, withBareIdentifiers(part, name)]),
    );
  return /dentifier$/.test(member) && isNonEmptyString(value) ? bareIdentifier(value) : value;
}

/** Warnings about values that a record keeps although the XML of an update lacks them (W16). */
export function keptFindings(stored: JsonObject, sent: JsonObject): Finding[] {
  const xml = xmlOf(sent);
  if (xml === undefined || xml instanceof MalformedXml) return [];
  const message = 'stays although the xml lacks it: only a null next to the xml removes it';
  return ['version', 'language']
    .filter(
      (name) => isNonEmptyString(stored[name]) && !(name in sent) && !(name in xml.attributes),
    )
    .map((name) => findingAt('warning', [name], { message, value: stored[name] }));
}

/** Warnings about lists of which a record has fewer items than the XML that was sent (S12). */
export function lostItems(sent: JsonObject, stored: JsonObject): Finding[] {
  const { xml } = sent;
  if (!isNonEmptyString(xml) || isStaleXml(sent)) return [];
  const counts = Object.entries(itemCounts(Buffer.from(xml, 'base64').toString()));
  return counts.flatMap(([name, count]) => {
    // Attributes next to the XML win.
    const list = (sent[name] ?? null) === null ? stored[name] : undefined;
    if (!Array.isArray(list) || list.length >= count) return [];
    const message = `the service kept ${list.length} of ${count} ${name}`;
    return [findingAt('warning', [name], { message, dropped: true })];
  });
}
