import { listKeys } from '../../api/keys.ts';
import type { ApiKey } from '../../api/types.ts';
import type { Context } from '../../cli/context.ts';
import { csvLine } from '../../text/csv.ts';

export interface AuditOptions {
  /** Milliseconds. */
  readonly stale: number;
  /** Milliseconds. */
  readonly maxAge: number;
  readonly exitCode?: boolean;
  readonly format: 'table' | 'json' | 'ndjson' | 'csv';
}

type Finding = 'never-used' | 'stale' | 'too-old' | 'duplicate-name';

interface Audited {
  readonly key: ApiKey;
  /** At least one. */
  readonly findings: readonly Finding[];
}

// `lastUsedAt` moves at most once in so long (observed): a key may have been used that much later than it says.
const USE_STEP_MS = 15 * 60_000;
const DAY_MS = 86_400_000;

/**
 * Prints the active keys that somebody should look at: never used, unused for too long, too old, or with the name of
 * another active key.
 * @returns 1 with `--exit-code` when there are any.
 */
export async function auditKeysCommand(context: Context, options: AuditOptions): Promise<number> {
  const { http } = await context.service('keys');
  const keys = await listKeys(http, false);
  const now = context.host.now();
  const audited = auditKeys(keys, now, options);
  const out = options.format === 'table' ? context.host.stdout : context.out;
  await out.write(await rendered(context, audited, now, options.format));
  context.messages.note(`${audited.length} of ${keys.length} active keys to look at`);
  return audited.length > 0 && options.exitCode ? 1 : 0;
}

/**
 * The keys with findings, in the order given.
 * @param now milliseconds since 1970.
 */
export function auditKeys(
  keys: readonly ApiKey[],
  now: number,
  { stale, maxAge }: Pick<AuditOptions, 'stale' | 'maxAge'>,
): readonly Audited[] {
  const active = keys.filter(({ attributes }) => !attributes.revokedAt);
  return active.flatMap((key) => {
    const { name, created, lastUsedAt } = key.attributes;
    const findings: Finding[] = [];
    if (lastUsedAt === null) findings.push('never-used');
    else if (now - Date.parse(lastUsedAt) - USE_STEP_MS > stale) findings.push('stale');
    if (now - Date.parse(created) > maxAge) findings.push('too-old');
    if (active.some((other) => other.id !== key.id && other.attributes.name === name)) {
      findings.push('duplicate-name');
    }
    return findings.length > 0 ? [{ key, findings }] : [];
  });
}

const COLUMNS = ['id', 'name', 'prefix', 'created', 'last used', 'findings'];

async function rendered(
  context: Context,
  audited: readonly Audited[],
  now: number,
  format: AuditOptions['format'],
): Promise<string> {
  switch (format) {
    case 'json':
      return `${JSON.stringify(audited.map(plain), null, 2)}\n`;
    case 'ndjson':
      return audited.map((entry) => `${JSON.stringify(plain(entry))}\n`).join('');
    case 'csv': {
      const heads = COLUMNS.map((column) => column.replace(' ', '_'));
      return [heads, ...audited.map((entry) => row(entry, entry.findings.join(' ')))].map(csvLine).join('');
    }
    case 'table': {
      if (audited.length === 0) return '';
      const { table } = await import('../../ui/table.ts');
      const rows = audited.map((entry) => row(entry, inWords(entry, now)));
      return table(COLUMNS, rows, context.color && context.host.terminal.stdout);
    }
  }
}

function row({ key: { id, attributes } }: Audited, findings: string): string[] {
  const { name, keyPrefix, created, lastUsedAt } = attributes;
  return [id, name, keyPrefix, created, lastUsedAt ?? 'never', findings];
}

function inWords({ key, findings }: Audited, now: number): string {
  const days = (time: string | null) => Math.floor((now - Date.parse(time ?? '')) / DAY_MS);
  const words: Readonly<Record<Finding, string>> = {
    'never-used': 'never used',
    stale: `unused for ${days(key.attributes.lastUsedAt)} days`,
    'too-old': `${days(key.attributes.created)} days old`,
    'duplicate-name': 'same name as another',
  };
  return findings.map((finding) => words[finding]).join(', ');
}

function plain({ key: { id, attributes }, findings }: Audited): object {
  const { name, keyPrefix, created, lastUsedAt } = attributes;
  return { id, name, keyPrefix, created, lastUsedAt, findings };
}
