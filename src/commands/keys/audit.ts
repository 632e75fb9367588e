import { type ApiKey, listKeys } from '../../api/keys.ts';
import type { Context } from '../../cli/context.ts';
import type { OptionsOf } from '../../cli/option-types.ts';
import { auditKeys } from '../../core/key-audit.ts';
import type { audit } from './index.ts';
import { CREATED, ID, LAST_USED, NAME, PREFIX, printKeys } from './rows.ts';

/**
 * Prints the active keys that need attention. @returns the exit code: 1 with `--exit-code` if any
 * do.
 */
export async function auditKeysCommand(
  context: Context,
  options: OptionsOf<typeof audit>,
): Promise<number> {
  const { http } = await context.services.open('keys');
  const keys = await listKeys(http, false);
  const now = context.host.now();
  const audited = auditKeys(keys, now, options);
  const part = (key: ApiKey, at: 0 | 1) => (audited.get(key) ?? []).map((finding) => finding[at]);
  const column = { name: 'findings', least: 20, style: () => 'yellow' as const };
  await printKeys(
    context,
    options.format,
    [...audited.keys()],
    [ID, NAME, PREFIX, CREATED, LAST_USED, { ...column, cell: (key) => part(key, 1).join(', ') }],
    {
      csv: [{ ...column, cell: (key) => part(key, 0).join(' ') }],
      json: (key) => ({ findings: part(key, 0) }),
    },
  );
  context.messages.note(`${audited.size} of ${keys.length} active keys need attention`);
  return audited.size > 0 && options.exitCode ? 1 : 0;
}
