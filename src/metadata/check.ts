import { isEvent, type State, stateAfter } from '../api/states.ts';
import type { Finding } from './findings.ts';
import { requiredFindings } from './required.ts';
import { ruleFindings, suffixFindings } from './rules.ts';
import { schemaFindings } from './validator.ts';

/** What a record is checked for: a state to be in, or `update`, which gives some of its attributes. */
export type Target = State | 'update';

/**
 * Checks attributes against the DataCite Metadata Schema 4.6, as the REST API's JSON spells it, and what their target
 * state asks for. Attributes that only the service writes are taken, so that a record that was read can be sent back.
 * @param attributes of the record, or of the request.
 * @returns errors first; nothing where all is well.
 */
export function checkRecord(attributes: unknown, target: Target): readonly Finding[] {
  const isObject = typeof attributes === 'object' && attributes !== null && !Array.isArray(attributes);
  const own = isObject ? (attributes as Readonly<Record<string, unknown>>) : {};
  const missing = target === 'registered' || target === 'findable' ? requiredFindings(own, target) : [];
  const naming = target === 'update' ? [] : suffixFindings(own);
  const found = [...missing, ...schemaFindings(attributes), ...ruleFindings(own), ...naming];
  return unique(target === 'draft' ? found.map(forDraft) : found).sort((a, b) => rank(a) - rank(b));
}

/** The state that a record's attributes ask for: that of their event, else a Draft. */
export function targetOf(attributes: Readonly<Record<string, unknown>>): State {
  const { event } = attributes;
  return stateAfter(isEvent(event) ? event : undefined);
}

/** A Draft may be unfinished: what its parts lack matters when it is registered. */
function forDraft(finding: Finding): Finding {
  return finding.message === 'is missing' ? { ...finding, severity: 'warning' } : finding;
}

/** One finding for each place: the first says most. */
function unique(findings: readonly Finding[]): Finding[] {
  const seen = new Set<string>();
  return findings.filter(({ path }) => !seen.has(path) && seen.add(path));
}

function rank({ severity }: Finding): number {
  return severity === 'error' ? 0 : 1;
}

export type { Finding } from './findings.ts';
export { findingText, located } from './findings.ts';
