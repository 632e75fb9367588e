import { type Answer, json, NOT_FOUND } from '../http/answer.ts';
import type { World } from '../state/world.ts';

/** The path of one repository or provider. */
export const ORGANIZATION_PATH = /^\/(?<type>repositories|clients|providers)\/(?<id>[^/]+)$/;

/** A repository or a provider by its id, for every reader (service.md, F14). */
export function getOrganization({ accounts, catalogue }: World, type: string, given: string): Answer {
  const id = given.toLowerCase();
  const isProvider = type === 'providers';
  const account = accounts.all().find((one) => (isProvider ? one.providerId : one.id) === id);
  const client = catalogue.corpus.pattern.clients.find(
    (one) => (isProvider ? one.providerId : one.id) === id,
  );
  if (client === undefined && (account === undefined || (account.kind === 'member' && !isProvider))) {
    return NOT_FOUND;
  }
  const symbol = id.toUpperCase();
  const name = (isProvider ? client?.providerName : client?.name) ?? symbol;
  if (isProvider) return json(200, { data: { id, type, attributes: { name, symbol } } });
  const { prefixes = [], domains = '*' } = account ?? { prefixes: client?.prefixes };
  const data = prefixes.map((prefix) => ({ id: prefix, type: 'prefixes' }));
  const attributes = { name, symbol, domains };
  return json(200, { data: { id, type, attributes, relationships: { prefixes: { data } } } });
}
