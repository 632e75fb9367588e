import { type Doi, doiBody, updateDoi } from '../../../api/dois.ts';
import { type Event, stateAfter } from '../../../api/states.ts';
import type { Context } from '../../../cli/context.ts';
import { untilAnswered } from '../../../cli/uninterruptible.ts';
import { CliError } from '../../../errors.ts';
import { withLines } from '../../../metadata/check.ts';
import { requiredFindings } from '../../../metadata/rules.ts';
import { parseRecord } from '../record/document.ts';
import { getExistingDoi, refuseIneffective } from '../record/existing-doi.ts';
import { placedText, toProblem, withLocations } from '../record/findings.ts';
import { outdatedFindings } from '../record/update-findings.ts';
import { checkState, printRecord, type ReportFormat } from '../record/written-record.ts';
import { forEachDoi } from './for-each-doi.ts';

export interface EventOptions {
  /** False with `--no-validate`. */
  readonly validate: boolean;
  readonly format?: ReportFormat;
  /** Why a record is hidden. */
  readonly reason?: string;
}

/** The events with a command of their own; `show` has the effect of `publish` on a Registered record. */
export type EventVerb = Exclude<Event, 'show'>;

const ACTIONS = { publish: 'published', register: 'registered', hide: 'hidden' } as const;

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
  const service = await context.service('writes');
  // Several records are easiest to tell apart when each is one line.
  const isList = dois.length > 1 && !context.host.terminal.stdout;
  const format = options.format ?? (isList ? 'ndjson' : undefined);
  await forEachDoi(context, dois, ACTIONS[event], async (doi) => {
    const before = await getExistingDoi(service, doi, { expanded: true });
    const { state, reason: known } = before.attributes;
    const reason = options.reason === known ? undefined : options.reason;
    const isThere = state === stateAfter(event);
    if (isThere && reason === undefined) {
      context.messages.note(`${doi} is ${stateAfter(event)} already; nothing was sent`);
      return printRecord(context, before, format);
    }
    if (!isThere) refuseIneffective(context, event, before);
    if (options.validate) refuseIncomplete(context, event, before);
    const body = doiBody({ ...(isThere ? {} : { event }), ...(reason === undefined ? {} : { reason }) });
    const after = await untilAnswered(context, () => updateDoi(service, before.id, body)).catch(
      (error: unknown) => {
        throw withLocations(error, parseRecord(before.text, before.id));
      },
    );
    await printRecord(context, after, format, ACTIONS[event]);
    checkState(after, ACTIONS[event], event, context.suggest('dois', 'get', doi));
  });
}

/** Refuses an incomplete record: the service would refuse it too, or leave it in its state. */
function refuseIncomplete(context: Context, event: EventVerb, { id, attributes, text }: Doi): void {
  // The service generates the XML from the other attributes (service.md, W16): it adds nothing to them.
  const { xml: _, ...own } = attributes;
  const isNew = event !== 'hide';
  const lacking = [
    ...(isNew ? requiredFindings(own, event === 'publish' ? 'findable' : 'registered') : []),
    ...outdatedFindings(attributes, {}),
  ];
  if (lacking.length === 0) return;
  const found = withLines(lacking, parseRecord(text, id)).map(({ line: _, ...finding }) => finding);
  throw new CliError('usage', `${id} cannot be ${ACTIONS[event]} as it is; nothing was sent`, {
    hint: context.suggest(
      'dois',
      'update',
      id,
      '--set',
      `${lacking[0]?.path}=${lacking[0]?.suggestion ?? '…'}`,
    ),
    problems: found.map(toProblem),
    lines: found.map((finding) => placedText(id, finding)),
  });
}
