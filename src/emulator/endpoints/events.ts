import { type Answer, json, NOT_FOUND, type Request } from '../http/answer.ts';
import { Params } from '../http/params.ts';
import { COUNTS } from '../records/source.ts';
import { type Entry, take } from '../state/catalogue.ts';
import { readFilter } from '../state/filter.ts';
import type { World } from '../state/world.ts';
import { consumerHeaders } from './consumer.ts';
import { selfLink } from './links.ts';
import { uuid } from './organizations.ts';
import { numberedPage, type Page, readPage, totalPages } from './page.ts';

/** The path of all events, or of one event. */
export const EVENTS_PATH = /^\/events(?:\/(?<id>[^/]+))?$/;

// A generated record has up to 400 citations, and each request generates its events again.
const MOST_RECORDS = 1000;

/** A citation of a generated record: another work references it. */
interface Event {
  readonly id: string;
  readonly source: string;
  readonly target: string;
  /** In seconds. */
  readonly time: number;
}

/** The parameters that `links.next` keeps (service.md, O11). */
const KEPT = `query subj-id obj-id doi orcid prefix subtype citation-type source-id relation-type-id
  issn registrant-id publication-year year-month`.split(/\s+/);

const address = (doi: string) => `https://doi.org/${doi}`;
const prefixOf = (doi: string) => doi.slice(0, doi.indexOf('/'));

/** The values of an event that each filter compares; DOIs are in lower case. */
const FILTERS: Readonly<Record<string, (event: Event) => readonly string[]>> = {
  'subj-id': ({ source }) => [address(source)],
  'obj-id': ({ target }) => [address(target)],
  doi: ({ source, target }) => [source, target],
  prefix: ({ source, target }) => [prefixOf(source), prefixOf(target)],
  'source-id': () => ['crossref'],
  'relation-type-id': () => ['references'],
};
/** Filters of the second version only. */
const NEW_FILTERS: typeof FILTERS = {
  'source-doi': ({ source }) => [source],
  'target-doi': ({ target }) => [target],
  'source-relation-type-id': () => ['references'],
  'target-relation-type-id': () => ['citations'],
};

/**
 * GET /events and /events/{id}: the citations of Findable generated records. The answer is the same
 * for every reader (service.md, O11).
 */
export function getEvents(world: World, request: Request, id: string | undefined): Answer {
  const params = new Params(request.query);
  const isNew = request.headers.accept?.includes('version=2') === true;
  const all = eventsOf(world, params, isNew);
  const headers = consumerHeaders(undefined);
  if (id !== undefined) {
    const event = all.find((each) => each.id === id);
    return event === undefined ? NOT_FOUND : json(200, { data: resource(event, isNew) }, headers);
  }
  const page = readPage(params);
  const { items, meta } = page.cursor === undefined ? numberedPage(page, all) : after(page, all);
  const { total, totalPages: pages, ...number } = meta;
  const isLast = items.length < page.size || page.size === 0 || page.number === pages;
  const links = {
    self: selfLink(request.origin, request.path, request.query),
    ...(isLast ? {} : { next: nextLink(request.origin, params, page, items.at(-1)) }),
  };
  const data = items.map((event) => resource(event, isNew));
  const shown = { total, [isNew ? 'totalPages' : 'total-pages']: pages, ...number };
  return json(200, { data, meta: shown, links }, headers);
}

/** The matching events by time and id, which is also the order of the cursor. */
function eventsOf(world: World, params: Params, isNew: boolean): readonly Event[] {
  const filters = Object.entries({ ...FILTERS, ...(isNew ? NEW_FILTERS : {}) }).flatMap(
    ([name, values]) => {
      const wanted = params.list(name)?.map((value) => value.toLowerCase());
      return wanted === undefined
        ? []
        : [(event: Event) => values(event).some((value) => wanted.includes(value))];
    },
  );
  return recordsOf(world, params)
    .flatMap((entry) => citationsOf(world, entry))
    .filter((event) => filters.every((passes) => passes(event)))
    .sort((a, b) => a.time - b.time || (a.id < b.id ? -1 : 1));
}

/** The records whose citations may match: the requested ones, or else the first ones. */
function recordsOf({ catalogue }: World, params: Params): readonly Entry[] {
  const names = ['doi', 'target-doi', 'obj-id'].flatMap((name) => params.list(name) ?? []);
  const requested = names.flatMap(
    (name) => catalogue.find(name.toLowerCase().replace(/^https:\/\/doi\.org\//, '')) ?? [],
  );
  const findable = requested.filter((entry) => catalogue.kind(entry).state === 'findable');
  if (findable.length > 0) return findable;
  const prefix = params.get('prefix') ?? '';
  const filter = readFilter(new Params(`state=findable&prefix=${prefix}`), false);
  return take(catalogue.select(filter).walk(), 0, MOST_RECORDS);
}

function citationsOf({ catalogue }: World, entry: Entry): Event[] {
  if (typeof entry !== 'number') return [];
  const { corpus } = catalogue;
  const { doi, created } = catalogue.position(entry);
  return Array.from({ length: COUNTS.citations(corpus.hash(entry)) }, (_, index) => ({
    id: uuid(doi, String(index)),
    source: `10.5555/citing-${entry}-${index}`,
    target: doi,
    time: created + index * 3600,
  }));
}

/** The events after a cursor of milliseconds and id; an unreadable cursor means the beginning. */
function after(page: Page, all: readonly Event[]) {
  const [time, id = ''] = Buffer.from(page.cursor ?? '', 'base64url')
    .toString()
    .split(',');
  const from = (Number.parseInt(time ?? '', 10) || 0) / 1000;
  const rest = all.filter((event) => event.time > from || (event.time === from && event.id > id));
  const meta = { total: all.length, totalPages: totalPages(page, all.length) };
  return { items: rest.slice(0, page.size), meta };
}

function nextLink(origin: string, params: Params, page: Page, last: Event | undefined): string {
  const query = new URLSearchParams();
  for (const name of KEPT) {
    const value = params.get(name);
    if (value !== undefined) query.append(name, value);
  }
  const cursor = Buffer.from(`${(last?.time ?? 0) * 1000},${last?.id}`).toString('base64url');
  if (page.cursor === undefined) query.append('page[number]', String(page.number + 1));
  else query.append('page[cursor]', cursor);
  query.append('page[size]', String(page.size));
  return `${origin}/events?${query}`;
}

/** The second version has names in camelCase, and also the DOIs in lower case. */
function resource({ id, source, target, time }: Event, isNew: boolean) {
  const at = new Date(time * 1000).toISOString();
  const attributes = {
    subjId: address(source),
    objId: address(target),
    sourceId: 'crossref',
    ...(isNew ? { sourceDoi: source, targetDoi: target } : {}),
    relationTypeId: 'references',
    ...(isNew ? { sourceRelationTypeId: 'references', targetRelationTypeId: 'citations' } : {}),
    ...{ total: 1, messageAction: 'create', sourceToken: null, occurredAt: at, timestamp: at },
    license: 'https://creativecommons.org/publicdomain/zero/1.0/',
  };
  const dashed = (name: string) => name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
  const members = Object.entries(attributes).map(([name, value]) => [
    isNew ? name : dashed(name),
    value,
  ]);
  const object = (name: string) => ({ data: { id: address(name), type: 'objects' } });
  const relationships = { subj: object(source), obj: object(target) };
  return { id, type: 'events', attributes: Object.fromEntries(members), relationships };
}
