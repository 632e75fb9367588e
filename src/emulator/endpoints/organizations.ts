import { createHash } from 'node:crypto';
import { type Answer, json, NOT_FOUND, type Request } from '../http/answer.ts';
import { decode, Params } from '../http/params.ts';
import type { World } from '../state/world.ts';
import { selfLink } from './links.ts';
import { numberedPage, readPage } from './page.ts';

/** The path of the records of a repository or provider. */
export const DOIS_PATH = /^\/(?<type>repositories|clients|providers)\/(?<id>[^/]+)\/dois$/;

const TYPES = `repositories|clients|providers|(?:(?:client|repository|provider)-)?prefixes`;
const PATH = new RegExp(`^/(?<type>${TYPES}|reports)(?:/(?<id>.+))?$`);

/** The time of creation of all of them. */
const CREATED = '2019-01-01T00:00:00.000Z';

/** A repository: an account of this emulator, or one that owns generated records. */
interface Owner {
  readonly id: string;
  readonly name: string;
  readonly providerId: string;
  readonly providerName: string;
  readonly prefixes: readonly string[];
  readonly domains: string;
  readonly active: boolean;
}

/** An item of a list, and the values by which lists are filtered. */
interface Listed {
  readonly resource: { readonly id: string };
  readonly name: string;
  readonly clients: readonly string[];
  readonly providers: readonly string[];
  readonly prefix?: string;
}

/**
 * Answers requests for repositories, providers and prefixes, single or as a list; every reader may
 * see them (service.md, F14, O10). The list of reports is empty. Undefined for another path.
 */
export function readOrganizations(
  world: World,
  request: Request,
  path: string,
): Answer | undefined {
  const { type, id } = PATH.exec(path)?.groups ?? {};
  if (type === undefined) return undefined;
  if (type === 'reports') return id === undefined ? noReports(request) : NOT_FOUND;
  const all = (LISTS[type] ?? prefixesOf)(ownersOf(world), type);
  if (id === undefined) return page(request, all);
  const found = all.find(({ resource }) => resource.id.toLowerCase() === decode(id).toLowerCase());
  return found === undefined ? NOT_FOUND : json(200, { data: found.resource });
}

const LISTS: Readonly<Record<string, (owners: readonly Owner[], type: string) => Listed[]>> = {
  clients: repositoriesOf,
  repositories: repositoriesOf,
  providers: providersOf,
  'client-prefixes': clientPrefixesOf,
  'repository-prefixes': clientPrefixesOf,
  'provider-prefixes': providerPrefixesOf,
};

/** Lists are narrowed by `id`, `ids`, `client-id`, `provider-id`, `prefix-id` and words. */
function page({ origin, path, query }: Request, all: readonly Listed[]): Answer {
  const params = new Params(query);
  const ids = (params.get('id') || params.get('ids'))?.toLowerCase().split(',');
  const words = (params.get('query') ?? '').toLowerCase().split(/\s+/);
  const [client, provider] = ['client-id', 'provider-id'].map((name) =>
    params.get(name)?.toLowerCase(),
  );
  const prefix = params.get('prefix-id');
  const found = all.filter(
    (listed) =>
      ids?.includes(listed.resource.id.toLowerCase()) !== false &&
      (!client || listed.clients.includes(client)) &&
      (!provider || listed.providers.includes(provider)) &&
      (!prefix || listed.prefix === prefix) &&
      words.every((word) => listed.name.toLowerCase().includes(word)),
  );
  const asked = readPage(params);
  const { items, meta } = numberedPage(asked, found);
  const data = items.map(({ resource }) => resource);
  const rest = [...params.entries()].filter(([name]) => name !== 'page[number]');
  const more = new URLSearchParams([...rest, ['page[number]', String(asked.number + 1)]]);
  const links = {
    self: selfLink(origin, path, query),
    ...(data.length === 0 || asked.number === meta.totalPages
      ? {}
      : { next: `${origin}${path}?${more}` }),
  };
  return json(200, { data, meta, links });
}

/** The list of reports comes from another program, and so has another form. */
function noReports({ headers }: Request): Answer {
  const pages = headers.accept?.includes('version=2') ? 'totalPages' : 'total-pages';
  return json(200, { reports: [], meta: { total: 0, [pages]: 0, page: 1 } });
}

function ownersOf({ accounts, catalogue }: World): readonly Owner[] {
  const generated = catalogue.corpus.pattern.clients;
  const ofEmulator = accounts.all().map((account) => {
    const symbol = account.id.toUpperCase();
    const known = generated.find(({ id }) => id === account.id);
    const providerName = known?.providerName ?? account.providerId.toUpperCase();
    return { ...account, name: known?.name ?? symbol, providerName };
  });
  const others = generated
    .filter(({ id }) => accounts.get(id) === undefined)
    .map((client) => ({ ...client, domains: '*', active: true }));
  return [...ofEmulator, ...others];
}

const related = (type: string, ids: readonly string[]) => ({
  data: [...new Set(ids)].map((id) => ({ id, type })),
});
const times = { created: CREATED, updated: CREATED };

function repositoriesOf(owners: readonly Owner[], type: string): Listed[] {
  const isFull = type === 'repositories';
  const listed = owners
    .filter(({ id }) => id.includes('.'))
    .map(({ id, name, providerId, prefixes, domains, active }) => {
      const attributes = {
        ...{ name, symbol: id.toUpperCase(), year: 2019, alternateName: null, description: null },
        ...{ clientType: 'repository', language: [], domains, re3data: null, opendoar: null },
        ...{ issn: {}, url: null, isActive: active, ...times },
        ...(isFull ? { repositoryType: [], certificate: [], software: null, subjects: [] } : {}),
      };
      const provider = { data: { id: providerId, type: 'providers' } };
      const relationships = { provider, prefixes: related('prefixes', prefixes) };
      const resource = { id, type, attributes, relationships };
      return { resource, name: `${name} ${id}`, clients: [id], providers: [providerId] };
    });
  return byName(listed);
}

function providersOf(owners: readonly Owner[]): Listed[] {
  const ids = [...new Set(owners.map(({ providerId }) => providerId))];
  const listed = ids.map((id) => {
    const owned = owners.filter(({ providerId }) => providerId === id);
    const clients = owned.map((owner) => owner.id).filter((client) => client.includes('.'));
    const name = owned.find(({ providerName }) => providerName !== id.toUpperCase())?.providerName;
    const attributes = {
      ...{ name: name ?? id.toUpperCase(), displayName: name ?? id.toUpperCase() },
      ...{ symbol: id.toUpperCase(), website: null, description: null, region: null },
      ...{ country: null, logoUrl: null, memberType: 'direct_member', organizationType: null },
      ...{ focusArea: null, nonProfitStatus: 'non-profit', isActive: true, joined: null },
      ...{ rorId: null, ...times },
    };
    const prefixes = related(
      'prefixes',
      owned.flatMap((owner) => owner.prefixes),
    );
    const relationships = { clients: related('clients', clients), prefixes };
    const resource = { id, type: 'providers', attributes, relationships };
    return { resource, name: `${attributes.name} ${id}`, clients, providers: [id] };
  });
  return byName(listed);
}

function prefixesOf(owners: readonly Owner[]): Listed[] {
  const prefixes = [...new Set(owners.flatMap((owner) => owner.prefixes))].sort();
  return prefixes.map((prefix) => {
    const sharing = owners.filter((owner) => owner.prefixes.includes(prefix));
    const clients = sharing.map(({ id }) => id);
    const providers = [...new Set(sharing.map(({ providerId }) => providerId))];
    const relationships = {
      clients: related('clients', clients),
      providers: related('providers', providers),
      clientPrefixes: related(
        'client-prefixes',
        clients.map((id) => uuid(id, prefix)),
      ),
      providerPrefixes: related(
        'provider-prefixes',
        providers.map((id) => uuid(id, prefix)),
      ),
    };
    const attributes = { prefix, createdAt: CREATED };
    const resource = { id: prefix, type: 'prefixes', attributes, relationships };
    return { resource, name: prefix, clients, providers, prefix };
  });
}

const PREFIX_TIMES = { createdAt: CREATED, updatedAt: CREATED };

function clientPrefixesOf(owners: readonly Owner[]): Listed[] {
  return owners.flatMap(({ id, providerId, prefixes }) =>
    prefixes.map((prefix) => {
      const relationships = {
        client: { data: { id, type: 'clients' } },
        provider: { data: { id: providerId, type: 'providers' } },
        providerPrefix: { data: { id: uuid(providerId, prefix), type: 'provider-prefixes' } },
        prefix: { data: { id: prefix, type: 'prefixes' } },
      };
      const type = 'client-prefixes';
      const resource = { id: uuid(id, prefix), type, attributes: PREFIX_TIMES, relationships };
      return { resource, name: prefix, clients: [id], providers: [providerId], prefix };
    }),
  );
}

function providerPrefixesOf(owners: readonly Owner[]): Listed[] {
  return prefixesOf(owners).flatMap(({ providers, prefix = '' }) =>
    providers.map((provider) => {
      const clients = owners
        .filter((owner) => owner.providerId === provider && owner.prefixes.includes(prefix))
        .map(({ id }) => id);
      const relationships = {
        provider: { data: { id: provider, type: 'providers' } },
        prefix: { data: { id: prefix, type: 'prefixes' } },
        clients: related('clients', clients),
        clientPrefixes: related(
          'client-prefixes',
          clients.map((id) => uuid(id, prefix)),
        ),
      };
      const type = 'provider-prefixes';
      const id = uuid(provider, prefix);
      const resource = { id, type, attributes: PREFIX_TIMES, relationships };
      return { resource, name: prefix, clients, providers: [provider], prefix };
    }),
  );
}

function byName(listed: Listed[]): Listed[] {
  return listed.sort((a, b) => (a.name.toLowerCase() < b.name.toLowerCase() ? -1 : 1));
}

/** The same id for the same account and prefix, or the same record and number. */
export function uuid(account: string, prefix: string): string {
  const hex = createHash('sha256').update(`${account} ${prefix}`).digest('hex');
  return hex.replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12}).*$/, '$1-$2-4$3-a$4-$5');
}
