import { isStop, toCliError } from '../errors.ts';
import { isNonEmptyString, isObject, type JsonObject, objectsOf } from '../text/json-values.ts';
import { readJson } from './http/body.ts';
import type { HttpService, Service } from './service.ts';

/** Whether an account is a member (provider), which has no records of its own (service.md, A13). */
export function isMember(account: string): boolean {
  return !account.includes('.');
}

/** A repository account or a member (provider) as every reader sees it (service.md, F14, F15). */
export interface Organization {
  /** In lower case. */
  readonly id: string;
  readonly name: string | undefined;
  /** The prefixes of a repository's DOIs; undefined for a member. */
  readonly prefixes: readonly string[] | undefined;
  /**
   * The allowed hosts of landing pages, such as `example.org` or `*.example.org`; undefined for any
   * host.
   */
  readonly domains: readonly string[] | undefined;
}

/**
 * Reads a repository or a member by its id. @throws {CliError} kind `not-found` when there is none.
 */
export async function readOrganization(
  { http }: HttpService,
  what: 'repositories' | 'providers',
  id: string,
  retries = 1,
): Promise<Organization> {
  const url = http.url(`/${what}/${encodeURIComponent(id)}`);
  return http.call({
    method: 'GET',
    url,
    retries,
    read: async (response) => organizationIn(await readJson(response), id),
  });
}

function organizationIn(body: JsonObject, id: string): Organization {
  const data = isObject(body['data']) ? body['data'] : {};
  const members = (name: string): JsonObject => (isObject(data[name]) ? data[name] : {});
  const { name, domains } = members('attributes');
  const { prefixes } = members('relationships');
  const ids =
    isObject(prefixes) && Array.isArray(prefixes['data']) ? objectsOf(prefixes['data']) : undefined;
  return {
    id: id.toLowerCase(),
    name: isNonEmptyString(name) ? name : undefined,
    prefixes: ids?.flatMap(({ id: prefix }) => (isNonEmptyString(prefix) ? [prefix] : [])),
    domains: isNonEmptyString(domains) && domains !== '*' ? domains.split(',') : undefined,
  };
}

const known = new WeakMap<object, Promise<Organization | undefined>>();

/**
 * The service's data about the credentials' repository account, requested once; undefined for a
 * member, and when it cannot be read.
 */
export function ownRepository(service: Service): Promise<Organization | undefined> {
  const { account } = service.caller;
  if (account === undefined || isMember(account)) return Promise.resolve(undefined);
  const organization =
    known.get(service) ??
    readOrganization(service, 'repositories', account, 0).catch((thrown: unknown) => {
      if (isStop(toCliError(thrown))) throw thrown;
      return undefined;
    });
  known.set(service, organization);
  return organization;
}
