import {
  type Answer,
  BAD_CREDENTIALS,
  FORBIDDEN,
  json,
  NOT_FOUND,
  type Request,
} from '../http/answer.ts';
import { Params } from '../http/params.ts';
import { type Item, isItem } from '../records/metadata/values.ts';
import type { Account } from '../state/accounts.ts';
import { readFilter } from '../state/filter.ts';
import { activeAccount, type Identity } from '../state/identity.ts';
import type { World } from '../state/world.ts';
import { consumerHeaders } from './consumer.ts';
import { attributesOf } from './dois-update.ts';
import { selfLink } from './links.ts';
import { numberedPage, readPage } from './page.ts';
import { wantsObjects } from './view.ts';

/** `/dois/<doi>/get-url`, `/dois/<doi>/activities` and `/dois/<doi>/media`. */
export const PART_PATH = /^\/dois\/(?<doi>.+)\/(?<part>get-url|activities|media)$/;

/**
 * GET /dois/{doi}/get-url: the registered address of a DOI. An account gets only the addresses of
 * its own DOIs; a request without credentials gets any. The answer for a Draft without an address
 * has no content.
 */
export function getUrl(world: World, account: Account | undefined, doi: string): Answer {
  const headers = consumerHeaders(account);
  const entry = world.catalogue.find(doi.toLowerCase());
  if (entry === undefined) return { ...NOT_FOUND, headers };
  const { clientId, providerId } = world.catalogue.kind(entry);
  if (account !== undefined && account.id !== clientId && account.id !== providerId)
    return FORBIDDEN;
  const { url } = attributesOf(world, entry);
  return typeof url === 'string' && url !== ''
    ? json(200, { url }, headers)
    : { status: 204, headers };
}

/**
 * GET /dois/{doi}/activities: the writes to a DOI in this emulator, latest first unless
 * `sort=created`. Credentials are ignored, and the DOI must be in lower case (service.md, O7).
 */
export function getActivities(world: World, request: Request, doi: string): Answer {
  const { origin } = request;
  const params = new Params(request.query);
  const isObject = wantsObjects(world, params, 'publisher');
  const page = readPage(params);
  const { size, number } = page;
  const all = world.activities.of(doi);
  const sorted = params.get('sort') === 'created' ? all : all.toReversed();
  const { items, meta } = numberedPage(page, sorted);
  const data = items.map(({ id, action, account, time, version, changes }) => ({
    id,
    type: 'activities',
    attributes: {
      'prov:wasGeneratedBy': `${origin}/activities/${id}`,
      'prov:generatedAtTime': time,
      'prov:wasDerivedFrom': `https://doi.org/${doi}`,
      'prov:wasAttributedTo': `${origin}/${kindOf(account)}/${account}`,
      action,
      version,
      changes: isObject ? changes : withPublisherNames(changes),
    },
  }));
  const next = `${origin}/activities?page%5Bnumber%5D=${number + 1}&page%5Bsize%5D=${size}`;
  const links = {
    self: selfLink(origin, request.path, request.query),
    ...(data.length < size ? {} : { next }),
  };
  return json(200, { data, meta, links }, consumerHeaders(undefined));
}

/** GET /dois/{doi}/media: no media, because only the MDS API adds them. */
export function getMedia(
  world: World,
  request: Request,
  account: Account | undefined,
  doi: string,
): Answer {
  if (world.catalogue.find(doi.toLowerCase()) === undefined) return NOT_FOUND;
  const { items, meta } = numberedPage(readPage(new Params(request.query)), []);
  const links = { self: selfLink(request.origin, request.path, request.query) };
  return json(200, { data: items, meta, links }, consumerHeaders(account));
}

/** Changes with the publisher as a name; an update has the old and the new one. */
function withPublisherNames(changes: Item): Item {
  const { publisher } = changes;
  if (publisher === undefined) return changes;
  const name = (value: unknown) => (isItem(value) ? value['name'] : value);
  return {
    ...changes,
    publisher: Array.isArray(publisher) ? publisher.map(name) : name(publisher),
  };
}

/** GET /dois/get-dois: the DOIs of the repository that resolve, in capitals. */
export function getDois(world: World, identity: Identity): Answer {
  const account = activeAccount(identity);
  // A key may do less than the password of its account (service.md, A5).
  if (identity.kind === 'api-key') return FORBIDDEN;
  if (account === undefined) return BAD_CREDENTIALS;
  const headers = consumerHeaders(account);
  const filter = readFilter(new Params(`client-id=${account.id}&state=registered,findable`), false);
  const dois = [...world.catalogue.select(filter).walk()].map((entry) =>
    world.catalogue.position(entry).doi.toUpperCase(),
  );
  return dois.length === 0 ? { status: 204, headers } : json(200, { dois }, headers);
}

function kindOf(account: string): string {
  return account.includes('.') ? 'repositories' : 'providers';
}
