import type { State } from '../api/states.ts';
import {
  isNonEmptyString,
  isObject,
  type JsonObject,
  type Path,
  valueAt,
} from '../text/json-values.ts';
import { corrected, withoutDropped } from './corrections.ts';
import { type Finding, UNKNOWN_PROPERTY } from './findings.ts';
import { asIdentifiers, differenceFinding, sameIdentifiers } from './identifiers.ts';
import { isWrongInDraft, KERNEL_4, schemaFor } from './kernel.ts';
import { landingPageFindings } from './landing-page.ts';
import { misreadFindings } from './misread.ts';
import { newDoiFindings, requiredFindings, ruleFindings } from './rules.ts';
import { schemaFindings } from './schema.ts';
import { textFindings } from './texts.ts';
import { xmlFindings } from './xml-attributes.ts';

/** The state to check a record for. An update contains only some attributes of a record. */
export type Target = State | 'update' | 'draft update';

export const isUpdate = (target: Target) => target === 'update' || target === 'draft update';

/**
 * Checks attributes against the Metadata Schema 4.7, or 4.6 if their `schemaVersion` is older, and
 * against the requirements of the target. Errors, which come first, are values that the service
 * refuses. Warnings are values that it accepts or drops (service.md, S1, S4). Read-only attributes
 * are accepted, so that a record that was read can be sent back. A Draft may contain any metadata
 * that the service does not refuse or alter. XML needs `prepareXmlOf` first.
 */
export function checkRecord(attributes: unknown, target: Target): readonly Finding[] {
  const { attributes: correctedAttributes, findings: corrections } = corrected(
    isObject(attributes) ? attributes : {},
  );
  const registers = target === 'registered' || target === 'findable';
  const hasXml = isNonEmptyString(correctedAttributes['xml']);
  const checked = withoutDropped(correctedAttributes, corrections);
  const kernel = correctedAttributes['schemaVersion'] ?? KERNEL_4;
  // An update of a Draft may lack values, but values that it contains are meant to be right.
  const mayBeWrong = (steps: Path) =>
    target === 'draft' || (target === 'draft update' && valueAt(checked, steps) === undefined);
  const isAccepted = (steps: Path) =>
    (mayBeWrong(steps) && !isWrongInDraft(steps, kernel)) ||
    isUnwritten(steps, checked) ||
    (steps[0] === 'alternateIdentifiers' && Array.isArray(checked['identifiers']));
  const findings = [
    ...corrections,
    ...(hasXml ? xmlFindings(correctedAttributes, registers) : []),
    ...(registers ? requiredFindings(checked, target) : []),
    ...schemaFindings(isObject(attributes) ? checked : attributes, schemaFor(checked), isAccepted),
    ...ruleFindings(checked, target === 'draft').map((finding) =>
      isAccepted(finding.steps) ? { ...finding, severity: 'warning' as const } : finding,
    ),
    ...landingPageFindings(checked),
    ...textFindings(checked),
    ...(isUpdate(target) ? [] : newDoiFindings(checked)),
    // In an update, the stored record shows which list was edited, and which texts are known.
    ...(!isUpdate(target) && listsDiffer(checked) ? [differenceFinding(checked)] : []),
    ...(isUpdate(target) ? [] : misreadFindings(checked)),
  ];
  return firstOfEachPath(
    findings.toSorted(
      (a, b) => Number(a.severity === 'warning') - Number(b.severity === 'warning'),
    ),
  );
}

/** The types that the service writes into XML only beside a value (service.md, W25). */
const VALUE_OF: Readonly<Record<string, string>> = {
  funderIdentifierType: 'funderIdentifier',
  numberType: 'number',
};

function isUnwritten(steps: Path, attributes: JsonObject): boolean {
  const value = VALUE_OF[String(steps.at(-1))];
  if (value === undefined) return false;
  return !String(valueAt(attributes, [...steps.slice(0, -1), value]) ?? '').trim();
}

/** Whether the two lists of identifiers differ: the service uses `identifiers` (service.md, S8). */
function listsDiffer({ identifiers, alternateIdentifiers: alternate }: JsonObject): boolean {
  if (identifiers === undefined || alternate === undefined) return false;
  return !sameIdentifiers(identifiers, asIdentifiers(alternate));
}

/** Errors for members that the service would drop from an update, unless they are stored. */
export function unknownFindings(attributes: JsonObject, stored?: JsonObject): readonly Finding[] {
  const { attributes: correctedAttributes, findings } = corrected(attributes);
  const unknown = schemaFindings(
    correctedAttributes,
    schemaFor(correctedAttributes),
    () => true,
  ).filter(
    ({ message, dropped, steps }) =>
      dropped &&
      message === UNKNOWN_PROPERTY &&
      steps[0] !== 'relationships' &&
      !hasPath(stored, steps),
  );
  return [...findings.filter(({ dropped }) => dropped), ...unknown].map((finding) => ({
    ...finding,
    severity: 'error' as const,
  }));
}

function hasPath(value: unknown, [step, ...more]: Path): boolean {
  if (step === undefined) return true;
  if (Array.isArray(value)) return value.some((item) => hasPath(item, more));
  return isObject(value) && Object.hasOwn(value, step) && hasPath(value[step], more);
}

function firstOfEachPath(findings: readonly Finding[]): Finding[] {
  const seen = new Set<string>();
  return findings.filter(({ path }) => !seen.has(path) && seen.add(path));
}

export type { Finding } from './findings.ts';
export { findingText, placeText, withLines } from './findings.ts';
