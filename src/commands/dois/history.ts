import { type Activity, listActivities } from '../../api/activities.ts';
import type { Context } from '../../cli/context.ts';
import { printRows, type RowFormat } from '../../cli/print-rows.ts';
import { isObject } from '../../text/json-values.ts';
import { number } from '../../text/words.ts';

export async function historyCommand(
  context: Context,
  doi: string,
  options: { readonly format?: RowFormat },
): Promise<void> {
  await context.profile();
  // The history is public (service.md, O7): no credentials are sent.
  const { http } = await context.connect(undefined);
  const { activities, total } = await listActivities(http, doi);
  if (activities.length === 0) context.messages.note(`the service knows no history of ${doi}`);
  await printRows(
    context,
    options.format ?? (context.host.terminal.stdout ? 'table' : 'ndjson'),
    activities,
    {
      columns: [
        { name: 'time', isTime: true, least: 14 },
        { name: 'version', rank: 2 },
        'action',
        { name: 'account', rank: 1 },
        { name: 'changed', least: 20 },
      ],
      cells,
    },
  );
  if (total > activities.length) {
    context.messages.note(`the first ${number(activities.length)} of ${number(total)} changes`);
  }
}

/** The attribute of a record for a column of the service's database (service.md, O7). */
function attributeName(column: string): string {
  if (column === 'aasm_state') return 'state';
  if (column === 'version_info') return 'version';
  return column.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

function cells({ attributes }: Activity): readonly string[] {
  const { action, version, changes, 'prov:generatedAtTime': time } = attributes;
  const account = /[^/]*$/.exec(attributes['prov:wasAttributedTo'] ?? '')?.[0];
  const changed = isObject(changes) ? Object.keys(changes).map(attributeName).join(', ') : '';
  return [time, version, action, account, changed].map((cell) => String(cell ?? ''));
}
