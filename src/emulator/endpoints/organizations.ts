import { type Answer, json, NOT_FOUND } from '../http/answer.ts';
import type { World } from '../state/world.ts';

/** The path of one repository or provider. */
export const ORGANIZATION_PATH = /^\/(?<type>repositories|clients|providers)\/(?<id>[^/]+)$/;

/** A repository or a provider by its id, for every reader (service.md, F14). */
export function getOrganization({ accounts, catalogue }: World, type: string, given: string): Answer {
  const id = given.toLowerCase();
  const isProvider = type === 'providers';
  const own = accounts
    .all()
    .flatMap((one) => (isProvider ? one.providerId : one.kind === 'repository' ? one.id : []));
  const others = catalogue.corpus.pattern.clients.map((one) => (isProvider ? one.providerId : one.id));
  if (![...own, ...others].includes(id)) return NOT_FOUND;
  return json(200, { data: { id, type, attributes: { symbol: id.toUpperCase() } } });
}
