import type { State } from '../api/states.ts';
import { isNonEmptyString, isObject, type JsonObject, type Path } from '../text/json-values.ts';
import { corrected, withoutDropped } from './corrections.ts';
import { type Finding, UNKNOWN_PROPERTY } from './findings.ts';
import { asIdentifiers, differenceFinding, sameIdentifiers } from './identifiers.ts';
import { isWrongInDraft, KERNEL_4, schemaFor } from './kernel.ts';
import { controlFindings, misreadFindings } from './misread.ts';
import { newDoiFindings, requiredFindings, ruleFindings, suffixFindings } from './rules.ts';
import { schemaFindings } from './schema.ts';
import { withXml, xmlFindings } from './xml-attributes.ts';

/** The state that a record is checked for, or an `update`, which sends some of its attributes. */
export type Target = State | 'update';

/**
 * Checks attributes against the Metadata Schema 4.7, or 4.6 where asked for, and the needs of the
 * target. Errors, first, are what the service refuses, warnings what it takes or drops (service.md,
 * S1, S4). Read- only attributes are accepted, so that a record that was read can be sent back. A
 * Draft holds any metadata but what the service refuses in it, or alters.
 */
export function checkRecord(attributes: unknown, target: Target): readonly Finding[] {
  const { attributes: given, findings: corrections } = corrected(
    isObject(attributes) ? attributes : {},
  );
  const registers = target === 'registered' || target === 'findable';
  const hasXml = isNonEmptyString(given['xml']);
  const xml = hasXml ? withXml(given) : undefined;
  const own = withoutDropped(xml?.attributes ?? given, corrections);
  const kernel = xml?.kernel ?? given['schemaVersion'] ?? KERNEL_4;
  const isTaken = (steps: Path) =>
    (target === 'draft' && !isWrongInDraft(steps, kernel)) ||
    (steps[0] === 'alternateIdentifiers' && Array.isArray(own['identifiers']));
  const findings = [
    ...corrections,
    ...(hasXml ? xmlFindings(given, registers) : []),
    ...(registers ? requiredFindings(own, target) : []),
    ...schemaFindings(isObject(attributes) ? own : attributes, schemaFor(own), isTaken),
    ...ruleFindings(own, target).map((found) =>
      isTaken(found.steps) ? { ...found, severity: 'warning' as const } : found,
    ),
    ...controlFindings(own),
    ...(target === 'update' ? [] : [...suffixFindings(own), ...newDoiFindings(own)]),
    // Which list of an update was edited depends on the record.
    ...(target !== 'update' && listsDiffer(own) ? [differenceFinding(own)] : []),
  ];
  const all = target === 'update' ? findings : [...findings, ...misreadFindings(own)];
  const placed = xml?.placed(all) ?? all;
  return firstOfEachPath(
    placed.toSorted((a, b) => Number(a.severity === 'warning') - Number(b.severity === 'warning')),
  );
}

/**
 * Whether the two lists of a record contradict each other: the service takes `identifiers`
 * (service.md, S8).
 */
function listsDiffer({ identifiers, alternateIdentifiers: alternate }: JsonObject): boolean {
  if (identifiers === undefined || alternate === undefined) return false;
  return !sameIdentifiers(identifiers, asIdentifiers(alternate));
}

/**
 * What the service would drop of an update: most are mistakes. What the stored record holds, it
 * knows.
 */
export function unknownFindings(attributes: JsonObject, stored?: JsonObject): readonly Finding[] {
  const { attributes: own, findings } = corrected(attributes);
  const unknown = schemaFindings(own, schemaFor(own), () => true).filter(
    ({ message, dropped, steps }) =>
      dropped &&
      message === UNKNOWN_PROPERTY &&
      steps[0] !== 'relationships' &&
      !holds(stored, steps),
  );
  return [...findings.filter(({ dropped }) => dropped), ...unknown].map((finding) => ({
    ...finding,
    severity: 'error' as const,
  }));
}

function holds(value: unknown, [step, ...more]: Path): boolean {
  if (step === undefined) return true;
  if (Array.isArray(value)) return value.some((one) => holds(one, more));
  return isObject(value) && Object.hasOwn(value, step) && holds(value[step], more);
}

function firstOfEachPath(findings: readonly Finding[]): Finding[] {
  const seen = new Set<string>();
  return findings.filter(({ path }) => !seen.has(path) && seen.add(path));
}

export type { Finding } from './findings.ts';
export { findingText, placeText, withLines } from './findings.ts';
