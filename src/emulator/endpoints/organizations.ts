import { type Answer, json, NOT_FOUND, type Request } from '../http/answer.ts';
import { Params } from '../http/params.ts';
import { decode } from '../http/segment.ts';
import type { World } from '../state/world.ts';
import { readPage, totalPages } from './page.ts';

/** The path of one repository or provider. */
export const ORGANIZATION_PATH = /^\/(?<type>repositories|clients|providers)\/(?<id>[^/]+)$/;

/** The path of the records of one. */
export const DOIS_PATH = /^\/(?<type>repositories|clients|providers)\/(?<id>[^/]+)\/dois$/;

/** A repository or a provider by its id, for every reader (service.md, F14). */
export function getOrganization(
  { accounts, catalogue }: World,
  type: string,
  given: string,
): Answer {
  const id = given.toLowerCase();
  const isProvider = type === 'providers';
  const account = accounts.all().find((one) => (isProvider ? one.providerId : one.id) === id);
  const client = catalogue.corpus.pattern.clients.find(
    (one) => (isProvider ? one.providerId : one.id) === id,
  );
  if (
    client === undefined &&
    (account === undefined || (account.kind === 'member' && !isProvider))
  ) {
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

/**
 * GET /prefixes, which `client-id`, `provider-id` and `id` narrow, and /prefixes/{prefix}; for
 * every reader.
 */
export function listPrefixes({ accounts, catalogue }: World, request: Request): Answer {
  const params = new Params(request.query);
  const named = decode(request.path.split('/')[2] ?? '');
  const [id, clientId, providerId] = [
    named || params.get('id'),
    params.get('client-id'),
    params.get('provider-id'),
  ];
  const owners = [
    ...accounts.all().filter(({ kind }) => kind === 'repository'),
    ...catalogue.corpus.pattern.clients.filter((client) => accounts.get(client.id) === undefined),
  ];
  const all = owners.flatMap((owner) => owner.prefixes.map((prefix) => ({ prefix, owner })));
  const found = all.filter(
    ({ prefix, owner }) =>
      prefix === (id ?? prefix) &&
      owner.id === (clientId?.toLowerCase() ?? owner.id) &&
      owner.providerId === (providerId?.toLowerCase() ?? owner.providerId),
  );
  const related = (type: string, ids: readonly string[]) => ({
    data: [...new Set(ids)].map((one) => ({ id: one, type })),
  });
  const data = [...new Set(found.map(({ prefix }) => prefix))].sort().map((prefix) => {
    const of = all.filter((one) => one.prefix === prefix).map(({ owner }) => owner);
    const clients = related(
      'clients',
      of.map((owner) => owner.id),
    );
    const providers = related(
      'providers',
      of.map((owner) => owner.providerId),
    );
    return {
      id: prefix,
      type: 'prefixes',
      attributes: { prefix },
      relationships: { clients, providers },
    };
  });
  if (named !== '') return data[0] === undefined ? NOT_FOUND : json(200, { data: data[0] });
  const page = readPage(params);
  const meta = { total: data.length, totalPages: totalPages(page, data.length), page: page.number };
  const first = (page.number - 1) * page.size;
  return json(200, { data: data.slice(first, first + page.size), meta });
}
