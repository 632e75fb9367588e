import { type Attributes, type Doi, doiBody } from '../api/dois.ts';
import { type Event, stateAfter } from '../api/states.ts';
import { CliError } from '../errors.ts';
import { withLines } from '../metadata/check.ts';
import { requiredFindings } from '../metadata/rules.ts';
import { type Change, changesOf } from './changes.ts';
import { parseRecord } from './document.ts';
import { refuseIneffective } from './existing-doi.ts';
import { placedText, toProblem } from './findings.ts';
import type { RunContext } from './run-context.ts';
import { outdatedFindings } from './update-findings.ts';

/** The events with a command of their own; `show` has the effect of `publish` on a Registered record. */
export type EventVerb = Exclude<Event, 'show'>;

/** The participle of each event, which is also its outcome. */
export const ACTIONS = { publish: 'published', register: 'registered', hide: 'hidden' } as const;

interface EventWish {
  /** Why a record is hidden. */
  readonly reason?: string | undefined;
  /** Whether the record is checked first. */
  readonly validate: boolean;
}

/** An event that is not sent yet. */
interface StatePlan {
  /** What to send. */
  readonly attributes: Attributes;
  readonly body: string;
  readonly changes: readonly Change[];
}

/**
 * Plans an event for a record; undefined when the record is as asked.
 * @param before the record, with affiliations and publisher as objects.
 * @throws {CliError} kind `rejected` for an event that the service would ignore in this state (service.md,
 *   W4); `usage` for a record that is not complete enough.
 */
export function planEvent(
  context: RunContext,
  event: EventVerb,
  before: Doi,
  { reason: given, validate }: EventWish,
): StatePlan | undefined {
  const { state, reason: known } = before.attributes;
  const reason = given === known ? undefined : given;
  const isThere = state === stateAfter(event);
  if (isThere && reason === undefined) return undefined;
  if (!isThere) refuseIneffective(context, event, before);
  if (validate) refuseIncomplete(context, event, before);
  const own = reason === undefined ? {} : { reason };
  const attributes = isThere ? own : { event, ...own };
  const changes = changesOf(before.attributes, isThere ? own : { state: stateAfter(event), ...own });
  return { attributes, body: doiBody(attributes), changes };
}

/** Refuses an incomplete record: the service would refuse it too, or leave it in its state. */
function refuseIncomplete(context: RunContext, event: EventVerb, { id, attributes, text }: Doi): void {
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
