import { type ApiKey, listKeys } from '../../api/keys.ts';
import type { Context } from '../../cli/context.ts';
import { printRows, type RowFormat } from '../../cli/print-rows.ts';
import { DAY_MS } from '../../text/parsers.ts';
import { CSV_COLUMNS, csvCells, KEY_COLUMNS, keyObject } from './key-rows.ts';
import { lastUse } from './reference.ts';

const { id, name, prefix, created, lastUsed } = KEY_COLUMNS;

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

type AuditFinding =
  | 'never-used'
  | 'stale'
  | 'last-use-unreadable'
  | 'too-old'
  | 'age-unreadable'
  | 'revocation-unreadable'
  | 'duplicate-name';

interface AuditedKey {
  readonly key: ApiKey;
  /** At least one. */
  readonly findings: readonly AuditFinding[];
}

// `lastUsedAt` changes at most once in 15 minutes (service.md, K17), so the last use may be that much later.
const LAST_USED_STEP_MS = 15 * 60_000;

/**
 * Prints the active keys to look at: never used, unused for too long, too old, with the name of another active
 * key, or with times that cannot be read.
 * @returns the exit code: 1 with `--exit-code` when there are any.
 */
export async function auditKeysCommand(context: Context, options: AuditOptions): Promise<number> {
  const { http } = await context.service('keys');
  const keys = await listKeys(http, false);
  const now = context.host.now();
  const audited = auditKeys(keys, now, options);
  await printAudit(context, options.format, audited, now);
  context.messages.note(`${audited.length} of ${keys.length} active keys need attention`);
  return audited.length > 0 && options.exitCode ? 1 : 0;
}

function printAudit(
  context: Context,
  format: RowFormat,
  audited: readonly AuditedKey[],
  now: number,
): Promise<void> {
  if (format === 'csv') {
    const cells = ({ key, findings }: AuditedKey) => [...csvCells(key), findings.join(' ')];
    return printRows(context, format, audited, { columns: [...CSV_COLUMNS, 'findings'], cells });
  }
  return printRows(context, format, audited, {
    columns: [id, name, prefix, created, lastUsed, { name: 'findings', least: 20, style: () => 'yellow' }],
    cells: ({ key, findings }) => {
      const { name, keyPrefix, created } = key.attributes;
      const words = describeFindings({ key, findings }, now);
      return [key.id, name, keyPrefix, created.trim() || 'unknown', lastUse(key.attributes), words];
    },
    object: ({ key, findings }) => ({ ...keyObject(key), findings }),
  });
}

/**
 * The active keys with findings, in the order given.
 * @param now milliseconds since 1970.
 */
export function auditKeys(
  keys: readonly ApiKey[],
  now: number,
  { stale, maxAge, grace }: Pick<AuditOptions, 'stale' | 'maxAge' | 'grace'>,
): readonly AuditedKey[] {
  const age = (time: string) => ageOf(time, now);
  // A revocation that cannot be read hides no key.
  const active = keys.filter(({ attributes }) => Number.isNaN(age(attributes.revokedAt ?? '')));
  const idsOf = new Map<string, Set<string>>();
  for (const { id, attributes } of active) {
    idsOf.set(attributes.name, (idsOf.get(attributes.name) ?? new Set()).add(id));
  }
  return active.flatMap((key) => {
    const { name, created, lastUsedAt, revokedAt } = key.attributes;
    const findings: AuditFinding[] = [];
    const unused = age(lastUsedAt ?? '');
    // Without a creation time that can be read, no key is new.
    const isNew = age(created) <= Math.min(grace, stale);
    if (lastUsedAt === null) findings.push(...(isNew ? [] : (['never-used'] as const)));
    else if (Number.isNaN(unused)) findings.push('last-use-unreadable');
    else if (unused - LAST_USED_STEP_MS > stale) findings.push('stale');
    if (Number.isNaN(age(created))) findings.push('age-unreadable');
    else if (age(created) > maxAge) findings.push('too-old');
    if (revokedAt) findings.push('revocation-unreadable');
    if ((idsOf.get(name)?.size ?? 0) > 1) findings.push('duplicate-name');
    return findings.length > 0 ? [{ key, findings }] : [];
  });
}

// `Date.parse` alone would also find a year in other text.
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/;

/** Milliseconds since a time; NaN if it is not one, or lies further ahead than clocks differ. */
function ageOf(time: string, now: number): number {
  const age = TIME.test(time) ? now - Date.parse(time) : Number.NaN;
  return age < -DAY_MS ? Number.NaN : age;
}

function describeFindings({ key, findings }: AuditedKey, now: number): string {
  const days = (time?: string | null) => Math.floor((now - Date.parse(time ?? '')) / DAY_MS);
  const words: Readonly<Record<AuditFinding, string>> = {
    'never-used': 'never used',
    stale: `unused for ${days(key.attributes.lastUsedAt)} days`,
    'too-old': `${days(key.attributes.created)} days old`,
    'last-use-unreadable': 'last use cannot be read',
    'age-unreadable': 'creation time cannot be read',
    'revocation-unreadable': 'time of revocation cannot be read',
    'duplicate-name': 'same name as another',
  };
  return findings.map((finding) => words[finding]).join(', ');
}
