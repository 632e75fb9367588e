import { type ApiKey, listKeys } from '../../api/keys.ts';
import type { Context } from '../../cli/context.ts';
import { printRows, type RowFormat } from '../../cli/print-rows.ts';

interface AuditOptions {
  /** Milliseconds. */
  readonly stale: number;
  /** Milliseconds. */
  readonly maxAge: number;
  readonly exitCode?: boolean;
  readonly format: RowFormat;
}

type AuditFinding = 'never-used' | 'stale' | 'too-old' | 'duplicate-name';

interface AuditedKey {
  readonly key: ApiKey;
  /** At least one. */
  readonly findings: readonly AuditFinding[];
}

// `lastUsedAt` changes at most once in 15 minutes (service.md, K17), so the last use may be that much later.
const LAST_USED_STEP_MS = 15 * 60_000;
const DAY_MS = 86_400_000;

/**
 * Prints the active keys to look at: never used, unused for too long, too old, or with the name of another
 * active key.
 * @returns the exit code: 1 with `--exit-code` when there are any.
 */
export async function auditKeysCommand(context: Context, options: AuditOptions): Promise<number> {
  const { http } = await context.service('keys');
  const keys = await listKeys(http, false);
  const now = context.host.now();
  const audited = auditKeys(keys, now, options);
  const { format } = options;
  await printRows(context, format, audited, {
    columns: ['id', 'name', 'prefix', 'created', 'last used', 'findings'],
    cells: ({ key, findings }) => {
      const { name, keyPrefix, created, lastUsedAt } = key.attributes;
      const words = format === 'csv' ? findings.join(' ') : describeFindings({ key, findings }, now);
      return [key.id, name, keyPrefix, created, lastUsedAt ?? 'never', words];
    },
    object: ({ key: { id, attributes }, findings }) => {
      const { name, keyPrefix, created, lastUsedAt } = attributes;
      return { id, name, keyPrefix, created, lastUsedAt, findings };
    },
  });
  context.messages.note(`${audited.length} of ${keys.length} active keys to look at`);
  return audited.length > 0 && options.exitCode ? 1 : 0;
}

/**
 * The active keys with findings, in the order given.
 * @param now milliseconds since 1970.
 */
export function auditKeys(
  keys: readonly ApiKey[],
  now: number,
  { stale, maxAge }: Pick<AuditOptions, 'stale' | 'maxAge'>,
): readonly AuditedKey[] {
  const active = keys.filter(({ attributes }) => !attributes.revokedAt);
  const idsOf = new Map<string, Set<string>>();
  for (const { id, attributes } of active) {
    idsOf.set(attributes.name, (idsOf.get(attributes.name) ?? new Set()).add(id));
  }
  return active.flatMap((key) => {
    const { name, created, lastUsedAt } = key.attributes;
    const findings: AuditFinding[] = [];
    if (lastUsedAt === null) findings.push('never-used');
    else if (now - Date.parse(lastUsedAt) - LAST_USED_STEP_MS > stale) findings.push('stale');
    if (now - Date.parse(created) > maxAge) findings.push('too-old');
    if ((idsOf.get(name)?.size ?? 0) > 1) findings.push('duplicate-name');
    return findings.length > 0 ? [{ key, findings }] : [];
  });
}

function describeFindings({ key, findings }: AuditedKey, now: number): string {
  const days = (time: string | null) => Math.floor((now - Date.parse(time ?? '')) / DAY_MS);
  const words: Readonly<Record<AuditFinding, string>> = {
    'never-used': 'never used',
    stale: `unused for ${days(key.attributes.lastUsedAt)} days`,
    'too-old': `${days(key.attributes.created)} days old`,
    'duplicate-name': 'same name as another',
  };
  return findings.map((finding) => words[finding]).join(', ');
}
