import type { Account } from './accounts.ts';
import { type Answer, JSON_API, NOT_FOUND, type Request } from './answer.ts';
import { consumerHeaders } from './consumer.ts';
import { Params } from './params.ts';
import type { Kind } from './records/pattern.ts';
import { resourceDocument } from './resource-document.ts';
import { readView } from './view.ts';
import type { World } from './world.ts';

/** GET /dois/{doi}: a single record always comes with its details. */
export function getDoi(world: World, request: Request, account: Account | undefined, doi: string): Answer {
  const headers = consumerHeaders(account);
  const entry = world.catalogue.find(doi.toLowerCase());
  if (entry === undefined || !mayRead(account, world.catalogue.kind(entry))) return { ...NOT_FOUND, headers };
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
function mayRead(account: Account | undefined, kind: Kind): boolean {
  if (kind.state === 'findable') return true;
  if (account === undefined) return false;
  return account.kind === 'repository' ? account.id === kind.clientId : account.id === kind.providerId;
}
