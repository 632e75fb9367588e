import { type Answer, FORBIDDEN, methodNotAllowed, NOT_FOUND, type Request } from '../http/answer.ts';
import type { State } from '../records/pattern.ts';
import { isoSeconds } from '../records/times.ts';
import type { Account } from '../state/accounts.ts';
import type { Entry } from '../state/catalogue.ts';
import type { Identity } from '../state/identity.ts';
import { resourceDocument } from '../state/resource-document.ts';
import type { StoredDoi } from '../state/stored-doi.ts';
import type { World } from '../state/world.ts';
import { consumerHeaders } from './consumer.ts';
import { missingFields, wrongFields } from './dois-check.ts';
import {
  type Attributes,
  makeNamed,
  ownMembers,
  sentAttributes,
  typeOf,
  type Written,
  withXml,
  writeAnswer,
  writerOf,
  yearOf,
} from './dois-create.ts';

// Everything that a stored record holds; other views are made from it.
const FULLEST = { detail: false, affiliation: true, publisher: true };

/** PUT /dois/{doi}: updates a record (200), or creates one (201) (service.md, W12). */
export function putDoi(world: World, request: Request, identity: Identity, doi: string): Answer {
  const name = doi.toLowerCase();
  const entry = world.catalogue.find(name);
  const sent = sentAttributes(request, identity, entry === undefined ? 'new' : 'existing');
  if ('refusal' in sent) return sent.refusal;
  const { account, attributes } = sent;
  if (entry === undefined)
    return writeAnswer(world, account, name, makeNamed(world, account, name, attributes), 201);
  return writeAnswer(world, account, name, change(world, account, entry, name, attributes), 200);
}

/** Changes a record in place: sent attributes replace stored ones. */
export function change(
  world: World,
  account: Account,
  entry: Entry,
  name: string,
  given: Attributes,
): Written {
  if (world.catalogue.kind(entry).clientId !== account.id) return 'forbidden';
  const { attributes, xml } = withXml(given);
  const record = { ...updated(world, entry, name, attributes), xml: xml ?? xmlStillTrue(entry, attributes) };
  const wrong = [...missingFields(record.attributes, record.kind.state), ...wrongFields(attributes)];
  if (wrong.length > 0) return wrong;
  world.catalogue.remove(entry);
  world.catalogue.add(record);
  return record;
}

/** The XML of a record contains neither its URL nor its state. */
function xmlStillTrue(entry: Entry, attributes: Attributes): string | undefined {
  const own = Object.keys(attributes).filter((name) => !['url', 'event', 'source', 'doi'].includes(name));
  return typeof entry === 'number' || own.length > 0 ? undefined : entry.xml;
}

/** DELETE /dois/{doi}: for Draft records only (service.md, W13). */
export function deleteDoi(world: World, identity: Identity, doi: string): Answer {
  const entry = world.catalogue.find(doi.toLowerCase());
  if (entry === undefined) return NOT_FOUND;
  const writer = writerOf(identity, 'existing');
  if ('refusal' in writer) return writer.refusal;
  const { clientId, state } = world.catalogue.kind(entry);
  if (clientId !== writer.account.id) return FORBIDDEN;
  if (state !== 'draft') return methodNotAllowed('GET, PUT');
  world.catalogue.remove(entry);
  return { status: 204, headers: consumerHeaders(writer.account) };
}

function updated({ catalogue, clock }: World, entry: Entry, doi: string, given: Attributes): StoredDoi {
  const kind = catalogue.kind(entry);
  const times = catalogue.times(entry);
  const document = JSON.parse(resourceDocument(catalogue, entry, FULLEST).toString()) as {
    data: { attributes: Attributes };
  };
  const before = document.data.attributes;
  const attributes = { ...before, ...ownMembers(given) };
  const state = stateAfter(kind.state, given['event']);
  const seconds = Math.floor(clock.now() / 1000);
  const registered = times.registered ?? (state === 'draft' ? undefined : seconds);
  const year = yearOf(attributes);
  return {
    doi,
    kind: { ...kind, state, resourceTypeId: typeOf(attributes) },
    times: { ...times, updated: seconds, registered, published: year },
    attributes: {
      ...attributes,
      isActive: state === 'findable',
      state,
      created: before['created'],
      registered: registered === undefined ? null : isoSeconds(registered),
      published: year === undefined ? null : String(year),
      updated: isoSeconds(seconds),
    },
  };
}

/**
 * The state after an event (service.md, W3). A registered record never becomes a Draft again; an event that
 * does not fit the state is ignored (service.md, W4).
 */
function stateAfter(before: State, event: unknown): State {
  if (event === 'publish') return 'findable';
  if (event === 'register' && before === 'draft') return 'registered';
  if (event === 'show' && before === 'registered') return 'findable';
  return event === 'hide' && before === 'findable' ? 'registered' : before;
}
