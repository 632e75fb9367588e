import type { Account } from './accounts.ts';
import { type Answer, JSON_API, NOT_FOUND, problem, type Request } from './answer.ts';
import { consumerHeaders } from './consumer.ts';
import { formatted, wantedType } from './dois-formats.ts';
import { Params } from './params.ts';
import type { Kind } from './records/pattern.ts';
import { resourceDocument } from './resource-document.ts';
import { readView } from './view.ts';
import type { World } from './world.ts';

// Everything that other formats are made from.
const FULLEST = { detail: false, affiliation: true, publisher: true };

/**
 * GET /dois/{doi}: a single record always comes with its details, or in another format, which the Accept header asks
 * for, or the path.
 *
 * @param type the media type that the path names
 */
export function getDoi(
  world: World,
  request: Request,
  account: Account | undefined,
  doi: string,
  type = wantedType(request.headers.accept),
): Answer {
  const headers = consumerHeaders(account);
  const entry = world.catalogue.find(doi.toLowerCase());
  if (entry === undefined || !mayRead(account, world.catalogue.kind(entry))) return { ...NOT_FOUND, headers };
  if (type !== 'json') {
    const document = JSON.parse(resourceDocument(world.catalogue, entry, FULLEST).toString()) as {
      data: { attributes: Record<string, unknown> };
    };
    const body = type === undefined ? undefined : formatted(type, document.data.attributes);
    if (body === undefined) return { ...problem(406, 'The content type is not recognized.'), headers };
    return { status: 200, body, contentType: `${type}; charset=utf-8`, headers };
  }
  const view = { ...readView(new Params(request.query)), detail: true };
  return {
    status: 200,
    body: resourceDocument(world.catalogue, entry, view),
    contentType: JSON_API,
    headers,
  };
}

/**
 * Unlike lists, a single record that is not Findable is shown to its repository and that one's member only.
 */
export function mayRead(account: Account | undefined, kind: Kind): boolean {
  if (kind.state === 'findable') return true;
  if (account === undefined) return false;
  return account.kind === 'repository' ? account.id === kind.clientId : account.id === kind.providerId;
}
