import {
  type Answer,
  BAD_CREDENTIALS,
  FORBIDDEN,
  NOT_FOUND,
  problem,
  type Request,
} from '../http/answer.ts';
import { parseJson } from '../http/json-body.ts';
import { KERNEL_4 } from '../records/metadata/check.ts';
import { dataciteXml } from '../records/metadata/write-xml.ts';
import type { Account } from '../state/accounts.ts';
import type { Entry } from '../state/catalogue.ts';
import { activeAccount, type Identity } from '../state/identity.ts';
import { resourceDocument } from '../state/resource-document.ts';
import type { World } from '../state/world.ts';
import { type Accepted, accept } from './accept.ts';
import { buildRecord } from './build-record.ts';
import { consumerHeaders } from './consumer.ts';
import {
  type Attributes,
  makeNamed,
  sentAttributes,
  type Written,
  writeAnswer,
  writerOf,
} from './dois-create.ts';

// The view with everything that a stored record contains.
const FULLEST = { detail: false, affiliation: true, publisher: true, landingPage: true };

/** PUT or PATCH /dois/{doi}: updates a record (200), or creates one (201) (service.md, W12). */
export function putDoi(world: World, request: Request, identity: Identity, doi: string): Answer {
  const name = doi.toLowerCase();
  const entry = world.catalogue.find(name);
  if (entry !== undefined && isTransfer(request))
    return transfer(world, request, identity, entry, name);
  const sent = sentAttributes(request, identity, entry === undefined ? 'new' : 'existing');
  if ('refusal' in sent) return sent.refusal;
  const { account, attributes } = sent;
  const accepted = accept(attributes);
  if (entry === undefined) {
    if (!/^10\.\d{4,5}\/./.test(name)) return NOT_FOUND;
    const made = makeNamed(world, account, name, accepted);
    return writeAnswer(world, request, account, name, made, 201);
  }
  const changed = change(world, account, entry, name, accepted);
  return writeAnswer(world, request, account, name, changed, 200);
}

function isTransfer({ body }: Request): boolean {
  if (!body.includes('transfer')) return false;
  const { data } = (parseJson(body) ?? {}) as { data?: { attributes?: { mode?: unknown } } };
  return data?.attributes?.mode === 'transfer';
}

/**
 * Gives a record to another repository, which only its member may do, and changes nothing else
 * (service.md, W19).
 */
function transfer(
  world: World,
  request: Request,
  identity: Identity,
  entry: Entry,
  name: string,
): Answer {
  const account = activeAccount(identity);
  const kind = world.catalogue.kind(entry);
  if (account === undefined) return BAD_CREDENTIALS;
  if (account.kind !== 'member' || account.id !== kind.providerId) return FORBIDDEN;
  const { data } = parseJson(request.body) as {
    data: { relationships?: { client?: { data?: { id?: string } } } };
  };
  const clientId = data.relationships?.client?.data?.id?.toLowerCase() ?? '';
  const target = world.accounts.get(clientId);
  if (target?.kind !== 'repository') return NOT_FOUND;
  const attributes = attributesOf(world, entry);
  const { created = 0, registered, published } = world.catalogue.times(entry);
  const record = {
    doi: name,
    kind: { ...kind, clientId, providerId: target.providerId },
    times: {
      created: created ?? 0,
      updated: Math.floor(world.clock.now() / 1000),
      registered,
      published,
    },
    attributes,
    xml:
      typeof entry === 'number'
        ? dataciteXml({ ...attributes, doi: name.toUpperCase() })
        : entry.xml,
  };
  world.catalogue.remove(entry);
  world.catalogue.add(record);
  return writeAnswer(world, request, account, name, record, 200);
}

/** Changes a record in place: sent attributes replace stored ones. */
function change(
  world: World,
  account: Account,
  entry: Entry,
  name: string,
  accepted: Accepted,
): Written {
  const { catalogue, clock } = world;
  const kind = catalogue.kind(entry);
  if (kind.clientId !== account.id) return 'forbidden';
  const attributes = attributesOf(world, entry);
  const stored =
    typeof entry === 'number' ? dataciteXml({ ...attributes, doi: name.toUpperCase() }) : entry.xml;
  const { created, registered } = catalogue.times(entry);
  const before = {
    kind,
    times: { created: created ?? 0, registered },
    // An update without a version of the schema is checked against the version of the record, or
    // the newest.
    attributes: { ...attributes, schemaVersion: attributes['schemaVersion'] ?? KERNEL_4 },
    xml: stored,
    isNew: false,
    domains: account.domains,
  };
  const record = buildRecord(name, before, accepted, Math.floor(clock.now() / 1000));
  if (!('doi' in record)) return record;
  catalogue.remove(entry);
  catalogue.add(record);
  world.activities.add(record, 'update', account, accepted.attributes, attributes);
  return record;
}

/** The attributes of a record, with affiliations and publisher as objects. */
export function attributesOf({ catalogue }: Pick<World, 'catalogue'>, entry: Entry): Attributes {
  const document = JSON.parse(resourceDocument(catalogue, entry, FULLEST).toString()) as {
    data: { attributes: Attributes };
  };
  return document.data.attributes;
}

/** DELETE /dois/{doi}: for Draft records only (service.md, W13). */
export function deleteDoi(world: World, identity: Identity, doi: string): Answer {
  const entry = world.catalogue.find(doi.toLowerCase());
  if (entry === undefined) return NOT_FOUND;
  const writer = writerOf(identity, 'existing');
  if ('refusal' in writer) return writer.refusal;
  const { clientId, state } = world.catalogue.kind(entry);
  if (clientId !== writer.account.id) return FORBIDDEN;
  if (state !== 'draft') {
    const allow = { allow: 'HEAD, GET, POST, PATCH, PUT, OPTIONS' };
    return problem(405, 'Method not allowed', { ...consumerHeaders(writer.account), ...allow });
  }
  world.catalogue.remove(entry);
  return { status: 204, headers: consumerHeaders(writer.account) };
}
