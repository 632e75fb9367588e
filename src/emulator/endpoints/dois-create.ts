import {
  type Answer,
  BAD_CREDENTIALS,
  FORBIDDEN,
  JSON_TYPE,
  json,
  NOT_FOUND,
  problem,
  type Request,
} from '../http/answer.ts';
import { isObject, parseAttributes } from '../http/json-body.ts';
import { Params } from '../http/params.ts';
import type { Wrong } from '../records/metadata/check.ts';
import { isoSeconds } from '../records/times.ts';
import type { Account } from '../state/accounts.ts';
import { type Identity, knownAccount } from '../state/identity.ts';
import { singleDocument } from '../state/resource-document.ts';
import type { StoredDoi } from '../state/stored-doi.ts';
import type { World } from '../state/world.ts';
import { type Accepted, accept } from './accept.ts';
import { buildRecord, emptyRecord } from './build-record.ts';
import { consumerHeaders } from './consumer.ts';
import { randomDoi } from './dois-random.ts';
import { readSingleView } from './view.ts';

export type Attributes = Readonly<Record<string, unknown>>;

/** POST /dois (service.md, W1, W7, W8). */
export function createDoi(world: World, request: Request, identity: Identity): Answer {
  if (identity.kind === 'anonymous') return BAD_CREDENTIALS;
  const sent = sentAttributes(request, identity, 'new');
  if ('refusal' in sent) return sent.refusal;
  const { account, attributes } = sent;
  const accepted = accept(attributes);
  const name = nameFor(accepted);
  if (name === undefined) return FORBIDDEN;
  if (world.catalogue.find(name) !== undefined) {
    return mayWrite(account, name)
      ? invalid(name, [['doi', 'This DOI has already been taken']], account)
      : FORBIDDEN;
  }
  return writeAnswer(world, request, account, name, makeNamed(world, account, name, accepted), 201);
}

/** The result of a write: the new state of the record, its errors, or a refusal of the account. */
export type Written = StoredDoi | readonly Wrong[] | 'forbidden';

/** Creates a record with an unused DOI. */
export function makeNamed(
  world: World,
  account: Account,
  name: string,
  accepted: Accepted,
): Written {
  if (!mayWrite(account, name)) return 'forbidden';
  const seconds = Math.floor(world.clock.now() / 1000);
  const prefix = name.split('/')[0] ?? '';
  const before = {
    kind: { clientId: account.id, providerId: account.providerId, prefix, state: 'draft' as const },
    times: { created: seconds, registered: undefined },
    attributes: emptyRecord(isoSeconds(seconds)),
    xml: undefined,
    isNew: true,
    domains: account.domains,
  };
  const record = buildRecord(name, before, accepted, seconds);
  if (!('doi' in record)) return record;
  world.catalogue.add(record);
  world.activities.add(record, 'create', account, accepted.attributes);
  return record;
}

/** The answer to a write of one record. */
export function writeAnswer(
  world: World,
  request: Request,
  account: Account,
  name: string,
  written: Written,
  status: number,
): Answer {
  if (written === 'forbidden') return FORBIDDEN;
  if (!('doi' in written)) return invalid(name, written, account);
  const view = readSingleView(world, new Params(request.query), account, written.kind);
  const location = status === 201 ? { location: `${request.origin}/dois/${written.doi}` } : {};
  return {
    status,
    body: singleDocument(world.catalogue, written, view),
    contentType: JSON_TYPE,
    headers: { ...consumerHeaders(account), ...location },
  };
}

/** The account that writes and the attributes that it sent, or the refusal. */
export function sentAttributes(
  request: Request,
  identity: Identity,
  target: Target,
): { readonly account: Account; readonly attributes: Attributes } | { readonly refusal: Answer } {
  const writer = writerOf(identity, target);
  // The service reads the body of a new record before it looks for the account.
  if (target === 'existing' && 'refusal' in writer) return writer;
  // The service ignores a body of another media type.
  const body = isJson(request) ? parseAttributes(request.body) : undefined;
  const data = isObject(body) ? body['data'] : undefined;
  if (!isObject(data) || Object.keys(data).length === 0) {
    // A body without `data` is a bad request (service.md, W9).
    return { refusal: problem(400, 'You need to provide a payload following the JSONAPI spec') };
  }
  if ('refusal' in writer) return writer;
  return { ...writer, attributes: isObject(data['attributes']) ? data['attributes'] : {} };
}

function isJson({ headers }: Request): boolean {
  const type = (headers['content-type'] ?? '').split(';')[0]?.trim().toLowerCase() ?? '';
  return ['application/vnd.api+json', 'application/json', 'text/x-json'].includes(type);
}

/** Whether a write creates a record, or changes an existing one. */
type Target = 'new' | 'existing';

/**
 * The account that may write, or the refusal. A new record needs a repository, so credentials
 * without one get a 404; for an existing record they get a 401 or 403 (service.md, A9).
 */
export function writerOf(
  identity: Identity,
  target: Target,
): { readonly account: Account } | { readonly refusal: Answer } {
  const account = knownAccount(identity);
  if (target === 'new' && account?.kind !== 'repository') return { refusal: NOT_FOUND };
  if (account === undefined) return { refusal: BAD_CREDENTIALS };
  return account.active && account.kind === 'repository' ? { account } : { refusal: FORBIDDEN };
}

function mayWrite(account: Account, name: string): boolean {
  return account.prefixes.includes(name.split('/')[0] ?? '');
}

/**
 * The requested DOI, in lower case (service.md, O4), or a random one with the requested prefix
 * (service.md, W2).
 */
function nameFor({ doi, prefix }: Accepted): string | undefined {
  if (typeof doi === 'string' && doi !== '') return doi.toLowerCase();
  if (typeof prefix !== 'string' || prefix === '') return undefined;
  return randomDoi(prefix);
}

/** Errors in a record contain the attribute in snake_case, and no status (service.md, E2). */
export function invalid(doi: string, errors: readonly Wrong[], account: Account): Answer {
  const body = { errors: errors.map(([source, title]) => ({ source, title, uid: doi })) };
  return json(422, body, consumerHeaders(account));
}
