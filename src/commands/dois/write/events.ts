import { updateDoi } from '../../../api/dois.ts';
import { stateAfter } from '../../../api/states.ts';
import type { Context } from '../../../cli/context.ts';
import { untilAnswered } from '../../../cli/uninterruptible.ts';
import { parseRecord } from '../../../records/document.ts';
import { getExistingDoi } from '../../../records/existing-doi.ts';
import { withLocations } from '../../../records/findings.ts';
import { ACTIONS, type EventVerb, planEvent } from '../../../records/state-plan.ts';
import type { ManyFlags } from '../bulk/input.ts';
import { printPreview } from '../change/preview.ts';
import { checkState, printRecord } from '../record/written-record.ts';
import { forEachDoi } from './for-each-doi.ts';
import { changeMany, formatFor, requireDois } from './many.ts';

export interface EventOptions extends ManyFlags {
  /** The DOIs, instead of the command line. */
  readonly file?: string;
  /** False with `--no-validate`. */
  readonly validate: boolean;
}

/**
 * Moves DOIs to another state and prints each of them with its new state. It reads the present state first,
 * because the service ignores an event that does not fit (service.md, W4).
 * @throws {CliError} kind `rejected` when a DOI is not in the state asked for.
 */
export async function eventCommand(
  context: Context,
  event: EventVerb,
  dois: readonly string[],
  options: EventOptions,
): Promise<void> {
  if (options.file !== undefined) return changeMany(context, event, dois, options.file, options);
  requireDois(event, dois, options);
  const service = await context.service('writes');
  const format = formatFor(context, dois, options);
  await forEachDoi(context, dois, ACTIONS[event], async (doi) => {
    const before = await getExistingDoi(service, doi, { expanded: true });
    const plan = planEvent(context, event, before, options);
    if (options.dryRun) return printPreview(context, before.id, plan?.changes ?? [], format);
    if (plan === undefined) {
      context.messages.note(`${doi} is ${stateAfter(event)} already; nothing was sent`);
      return printRecord(context, before, format);
    }
    const after = await untilAnswered(context, () => updateDoi(service, before.id, plan.body)).catch(
      (error: unknown) => {
        throw withLocations(error, parseRecord(before.text, before.id));
      },
    );
    await printRecord(context, after, format, ACTIONS[event]);
    checkState(after, ACTIONS[event], event, context.suggest('dois', 'get', doi));
  });
}
