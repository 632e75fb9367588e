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

/** GET /dois/{doi}/media: the media that were added with MDS, latest first. */
export function getMedia(
  world: World,
  request: Request,
  account: Account | undefined,
  doi: string,
): Answer {
  const name = doi.toLowerCase();
  if (world.catalogue.find(name) === undefined) return NOT_FOUND;
  const page = readPage(new Params(request.query));
  const all = world.media.get(name) ?? [];
  const media = all.toReversed().map(({ type, url, created }, place) => {
    const id = `${(all.length - place).toString(32).padStart(4, '0')}-0000`;
    const attributes = { version: 0, url, mediaType: type, created, updated: created };
    const dataciteDoi = { data: { id: name, type: 'datacite_dois' } };
    return { id, type: 'media', attributes, relationships: { dataciteDoi } };
  });
  const { items, meta } = numberedPage(page, media);
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
  // A key may do less than the password of its account (service.md, M3).
  if (identity.kind === 'api-key') return FORBIDDEN;
  if (account === undefined) return BAD_CREDENTIALS;
  const headers = consumerHeaders(account);
  const dois = ownDois(world, account);
  return dois.length === 0 ? { status: 204, headers } : json(200, { dois }, headers);
}

/** The Registered and Findable DOIs of an account, in capitals. */
export function ownDois({ catalogue }: World, account: Account): string[] {
  const filter = readFilter(new Params(`client-id=${account.id}&state=registered,findable`), false);
  return [...catalogue.select(filter).walk()].map((entry) =>
    catalogue.position(entry).doi.toUpperCase(),
  );
}

function kindOf(account: string): string {
  return account.includes('.') ? 'repositories' : 'providers';
}
