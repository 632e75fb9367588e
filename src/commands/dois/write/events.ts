import { type Doi, doiBody, getDoi, updateDoi } from '../../../api/dois.ts';
import type { Service } from '../../../api/service.ts';
import { type Event, stateAfter } from '../../../api/states.ts';
import type { Context } from '../../../cli/context.ts';
import { CliError } from '../../../errors.ts';
import { withLines } from '../../../metadata/check.ts';
import { requiredFindings } from '../../../metadata/required.ts';
import { parseRecord } from '../record/document.ts';
import { placedText, problemOf, refusal } from '../record/findings.ts';
import { absent, checkState, type Deed, printRecord, type ReportFormat } from '../record/print-record.ts';
import { refuseUnfit } from '../record/refuse-event.ts';
import { forEachDoi } from './for-each-doi.ts';

export interface EventOptions {
  /** False with `--no-validate`. */
  readonly validate: boolean;
  readonly format?: ReportFormat;
}

const DEEDS: Readonly<Record<Event, Deed>> = {
  publish: 'published',
  register: 'registered',
  hide: 'hidden',
};

/**
 * Moves DOIs to another state, and prints each with the state that it is in then. The state before is looked at first:
 * an event that does not fit is ignored by the service (observed).
 * @throws {CliError} kind `rejected` when a DOI is not in the state asked for.
 */
export async function eventCommand(
  context: Context,
  event: Event,
  dois: readonly string[],
  options: EventOptions,
): Promise<void> {
  const service = await context.service('writes');
  // Several records are told apart best when each has a line.
  const usual = dois.length > 1 && !context.host.terminal.stdout ? 'ndjson' : undefined;
  const format = options.format ?? usual;
  await forEachDoi(context, dois, DEEDS[event], async (doi) => {
    const before = await getDoi(service, doi, { expanded: true }).catch((error: unknown) => {
      throw absent(error, doi, 'these credentials');
    });
    if (before.attributes['state'] === stateAfter(event)) {
      context.messages.note(`${doi} is ${stateAfter(event)} already; nothing was sent`);
      return printRecord(context, before, format);
    }
    refuseUnfit(context, event, before);
    if (options.validate && event !== 'hide') refuseUnfinished(context, event, before);
    const after = await send(service, event, before);
    await printRecord(context, after, format, DEEDS[event]);
    checkState(after, DEEDS[event], event, context.suggest('dois', 'get', doi));
  });
}

async function send(service: Service, event: Event, { id, text }: Doi): Promise<Doi> {
  try {
    return await updateDoi(service, id, doiBody({ event }));
  } catch (error) {
    throw refusal(error, parseRecord(text, id));
  }
}

/** What a record lacks is for its owner to add: the service would refuse it, or leave it in its state. */
function refuseUnfinished(context: Context, event: Event, { id, attributes, text }: Doi): void {
  // The service makes the XML of what a record holds: it says nothing about what is missing.
  const { xml: _, ...own } = attributes;
  const lacking = requiredFindings(own, event === 'publish' ? 'findable' : 'registered');
  if (lacking.length === 0) return;
  const found = withLines(lacking, parseRecord(text, id)).map(({ line: _, ...finding }) => finding);
  throw new CliError('usage', `${id} cannot be ${DEEDS[event]} as it is; nothing was sent`, {
    hint: context.suggest('dois', 'update', id, '--set', `${lacking[0]?.path}=…`),
    problems: found.map(problemOf),
    lines: found.map((finding) => placedText(id, finding)),
  });
}
