import type { State } from '../api/states.ts';
import { isObject } from '../text/json-values.ts';
import type { Finding } from './findings.ts';
import { requiredFindings, ruleFindings, suffixFindings } from './rules.ts';
import { schemaFindings } from './schema.ts';

/** The state that a record is checked for, or an `update`, which sends some of its attributes. */
export type Target = State | 'update';

/**
 * Checks attributes against the DataCite Metadata Schema 4.6, in the REST API's JSON spelling, and against
 * the requirements of the target. The service takes 4.7 (service.md, S2): not yet handled. Read-only
 * attributes are accepted, so that a record that was read can be sent back.
 * @param attributes of the record, or of the request.
 * @returns errors first; empty for a valid record.
 */
export function checkRecord(attributes: unknown, target: Target): readonly Finding[] {
  const own = isObject(attributes) ? attributes : {};
  return firstOfEachPath([
    ...(target === 'registered' || target === 'findable' ? requiredFindings(own, target) : []),
    // A Draft may be incomplete until it is registered.
    ...schemaFindings(attributes, target === 'draft' ? 'warning' : 'error'),
    ...ruleFindings(own),
    ...(target === 'update' ? [] : suffixFindings(own)),
  ]).sort((a, b) => Number(a.severity === 'warning') - Number(b.severity === 'warning'));
}

/** The first finding of a path says most. */
function firstOfEachPath(findings: readonly Finding[]): Finding[] {
  const seen = new Set<string>();
  return findings.filter(({ path }) => !seen.has(path) && seen.add(path));
}

export type { Finding } from './findings.ts';
export { findingText, withLines } from './findings.ts';
