import type { ApiKey } from '../api/keys.ts';
import { DAY_MS } from '../text/parsers.ts';

/** A problem of a key: its name for programs, and its description. */
type Finding = readonly [name: string, words: string];

// `lastUsedAt` changes at most once in 15 minutes (service.md, K17), so the last use may be that
// much later.
const LAST_USED_STEP_MS = 15 * 60_000;

/** In milliseconds. A new key may stay unused for `grace`, but not longer than `stale`. */
type Limits = Readonly<Record<'stale' | 'maxAge' | 'grace', number>>;

/** The active keys with findings, in order. @param now in milliseconds since 1970. */
export function auditKeys(
  keys: readonly ApiKey[],
  now: number,
  limits: Limits,
): ReadonlyMap<ApiKey, readonly Finding[]> {
  // A key with an unreadable time of revocation stays in the audit.
  const active = keys.filter(({ attributes }) => Number.isNaN(ageOf(attributes.revokedAt, now)));
  const named = new Map<string, number>();
  for (const { attributes } of active)
    named.set(attributes.name, (named.get(attributes.name) ?? 0) + 1);
  const audited = active.map(
    (key) => [key, findingsOf(key, now, limits, named.get(key.attributes.name) ?? 0)] as const,
  );
  return new Map(audited.filter(([, findings]) => findings.length > 0));
}

function findingsOf(
  { attributes: { created, lastUsedAt, revokedAt } }: ApiKey,
  now: number,
  { stale, maxAge, grace }: Limits,
  alike: number,
): readonly Finding[] {
  const [age, unused] = [ageOf(created, now), ageOf(lastUsedAt, now)];
  const days = (ms: number) => `${Math.floor(ms / DAY_MS)} days`;
  const findings: Finding[] = [];
  // A key with an unreadable creation time does not count as new.
  if (lastUsedAt === null) {
    if (!(age <= Math.min(grace, stale))) findings.push(['never-used', 'never used']);
  } else if (Number.isNaN(unused))
    findings.push(['last-use-unreadable', 'last use cannot be read']);
  else if (unused - LAST_USED_STEP_MS > stale)
    findings.push(['stale', `unused for ${days(unused)}`]);
  if (Number.isNaN(age)) findings.push(['age-unreadable', 'creation time cannot be read']);
  else if (age > maxAge) findings.push(['too-old', `${days(age)} old`]);
  if (revokedAt) findings.push(['revocation-unreadable', 'time of revocation cannot be read']);
  if (alike > 1) findings.push(['duplicate-name', 'same name as another']);
  return findings;
}

// `Date.parse` alone would accept other text with a year in it.
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/;

/** Milliseconds since a time; NaN if it is unreadable, or more than a day in the future. */
function ageOf(time: string | null | undefined, now: number): number {
  const age = TIME.test(time ?? '') ? now - Date.parse(time ?? '') : Number.NaN;
  return age < -DAY_MS ? Number.NaN : age;
}
