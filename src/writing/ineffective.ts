import type { Doi } from '../api/dois.ts';
import type { Event } from '../api/states.ts';
import { CliError } from '../errors.ts';
import type { Suggest } from '../text/shell-word.ts';
import type { EventRequest } from './request.ts';

/** Refuses an event that the service would ignore in the current state (service.md, W4). */
export function refuseIneffective(
  suggest: Suggest,
  event: Event | undefined,
  { id, attributes: { state } }: Doi,
): void {
  const [why, toReach, verb] = INEFFECTIVE[`${event} ${state}`] ?? [];
  if (why === undefined || verb === undefined) return;
  throw new CliError('rejected', `${id} is ${why}`, {
    hint: `to ${toReach}: ${suggest('dois', verb, id)}`,
  });
}

/** Events without effect, by event and state: the reason, and the command that was meant. */
const INEFFECTIVE: Readonly<
  Record<string, readonly [why: string, toReach: string, verb: EventRequest['command']]>
> = {
  'show draft': ['a Draft, and show is for Registered records', 'make it Findable', 'publish'],
  'hide draft': [
    'a Draft, which is already hidden from others',
    'register it, not in the index',
    'register',
  ],
  'register findable': [
    'Findable, which includes being registered',
    'remove it from the index',
    'hide',
  ],
};
