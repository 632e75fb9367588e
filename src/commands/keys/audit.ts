import { type ApiKey, listKeys } from '../../api/keys.ts';
import type { Context } from '../../cli/context.ts';
import type { RowFormat } from '../../cli/print-rows.ts';
import { DAY_MS } from '../../text/parsers.ts';
import { CREATED, ID, LAST_USED, NAME, PREFIX, printKeys } from './rows.ts';

interface AuditOptions {
  /** Milliseconds. */
  readonly stale: number;
  /** Milliseconds. */
  readonly maxAge: number;
  /** How long a new key may stay unused, in milliseconds; never longer than `stale`. */
  readonly grace: number;
  readonly exitCode?: boolean;
  readonly format: RowFormat;
}

/** Each finding in words; `days` since the last use or the creation. */
const FINDINGS = {
  'never-used': () => 'never used',
  stale: (days: (time: string) => number, { lastUsedAt }: ApiKey['attributes']) =>
    `unused for ${days(lastUsedAt ?? '')} days`,
  'last-use-unreadable': () => 'last use cannot be read',
  'too-old': (days: (time: string) => number, { created }: ApiKey['attributes']) =>
    `${days(created)} days old`,
  'age-unreadable': () => 'creation time cannot be read',
  'revocation-unreadable': () => 'time of revocation cannot be read',
  'duplicate-name': () => 'same name as another',
};
type Finding = keyof typeof FINDINGS;

// `lastUsedAt` changes at most once in 15 minutes (service.md, K17), so the last use may be that much later.
const LAST_USED_STEP_MS = 15 * 60_000;

/** Prints the active keys that need attention. @returns exit code 1 with `--exit-code` if there are any. */
export async function auditKeysCommand(context: Context, options: AuditOptions): Promise<number> {
  const { http } = await context.service('keys');
  const keys = await listKeys(http, false);
  const now = context.host.now();
  const audited = auditKeys(keys, now, options);
  const findings = (key: ApiKey) => audited.get(key) ?? [];
  const days = (time: string) => Math.floor((now - Date.parse(time)) / DAY_MS);
  const words = (key: ApiKey) => findings(key).map((finding) => FINDINGS[finding](days, key.attributes));
  const column = { name: 'findings', least: 20, style: () => 'yellow' as const };
  await printKeys(
    context,
    options.format,
    [...audited.keys()],
    [ID, NAME, PREFIX, CREATED, LAST_USED, { ...column, cell: (key) => words(key).join(', ') }],
    {
      csv: [{ ...column, cell: (key) => findings(key).join(' ') }],
      json: (key) => ({ findings: findings(key) }),
    },
  );
  context.messages.note(`${audited.size} of ${keys.length} active keys need attention`);
  return audited.size > 0 && options.exitCode ? 1 : 0;
}

/** The active keys with at least one finding, in the order given. Times are milliseconds since 1970. */
export function auditKeys(
  keys: readonly ApiKey[],
  now: number,
  { stale, maxAge, grace }: Pick<AuditOptions, 'stale' | 'maxAge' | 'grace'>,
): ReadonlyMap<ApiKey, readonly Finding[]> {
  const age = (time: string) => ageOf(time, now);
  // A revocation that cannot be read hides no key.
  const active = keys.filter(({ attributes }) => Number.isNaN(age(attributes.revokedAt ?? '')));
  const named = new Map<string, number>();
  for (const { attributes } of active) named.set(attributes.name, (named.get(attributes.name) ?? 0) + 1);
  const audited = new Map<ApiKey, readonly Finding[]>();
  for (const key of active) {
    const { name, created, lastUsedAt, revokedAt } = key.attributes;
    const findings: Finding[] = [];
    const unused = age(lastUsedAt ?? '');
    // Without a creation time that can be read, no key is new.
    const isNew = age(created) <= Math.min(grace, stale);
    if (lastUsedAt === null) findings.push(...(isNew ? [] : (['never-used'] as const)));
    else if (Number.isNaN(unused)) findings.push('last-use-unreadable');
    else if (unused - LAST_USED_STEP_MS > stale) findings.push('stale');
    if (Number.isNaN(age(created))) findings.push('age-unreadable');
    else if (age(created) > maxAge) findings.push('too-old');
    if (revokedAt) findings.push('revocation-unreadable');
    if (Number(named.get(name)) > 1) findings.push('duplicate-name');
    if (findings.length > 0) audited.set(key, findings);
  }
  return audited;
}

// `Date.parse` alone would also find a year in other text.
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/;

/** Milliseconds since a time; NaN if it is not one, or lies further ahead than clocks differ. */
function ageOf(time: string, now: number): number {
  const age = TIME.test(time) ? now - Date.parse(time) : Number.NaN;
  return age < -DAY_MS ? Number.NaN : age;
}
