import { type Answer, json, NOT_FOUND, problem, Refusal, type Request } from '../http/answer.ts';
import { isObject, parseJson } from '../http/json-body.ts';
import { Params } from '../http/params.ts';
import type { Account } from '../state/accounts.ts';
import { countStates } from '../state/facets.ts';
import { FaultInjector } from '../state/fault-injector.ts';
import { FAULT_HELP, parseFault } from '../state/faults.ts';
import { readFilter } from '../state/filter.ts';
import type { Service } from './service.ts';

/**
 * The control endpoint: everything below this path belongs to the emulator and not to the service.
 */
export const CONTROL_PREFIX = '/_emulator/';

type Handler = (service: Service, request: Request, segment: string) => Answer;

const ROUTES: readonly (readonly [method: string, path: RegExp, handler: Handler])[] = [
  ['GET', /^status$/, status],
  ['GET', /^log$/, log],
  ['GET', /^accounts$/, listAccounts],
  ['POST', /^accounts$/, addAccount],
  ['DELETE', /^accounts\/([^/]+)$/, deleteAccount],
  [
    'POST',
    /^accounts\/([^/]+)\/activate$/,
    (service, _, id) => changeAccount(service, id, { active: true }),
  ],
  [
    'POST',
    /^accounts\/([^/]+)\/deactivate$/,
    (service, _, id) => changeAccount(service, id, { active: false }),
  ],
  ['POST', /^accounts\/([^/]+)\/password$/, changePassword],
  ['POST', /^accounts\/([^/]+)\/domains$/, changeDomains],
  [
    'GET',
    /^faults$/,
    ({ world }) =>
      json(200, { faults: world.faults.rules.map(({ spec }) => spec), kinds: FAULT_HELP }),
  ],
  ['POST', /^faults$/, setFaults],
  ['POST', /^clock$/, advanceClock],
  ['POST', /^objects-from$/, setObjectsFrom],
  ['POST', /^reset$/, reset],
];

/** Answers a request below `/_emulator/`. */
export function control(service: Service, request: Request): Answer {
  // A browser sends Origin with the requests of a web page. No web page may control the emulator.
  if (request.headers.origin !== undefined)
    return problem(403, 'The control endpoint is not for web pages.');
  const path = request.path.slice(CONTROL_PREFIX.length);
  const matching = ROUTES.filter(([, pattern]) => pattern.test(path));
  if (matching.length === 0) return NOT_FOUND;
  const chosen = matching.find(([method]) => method === request.method);
  if (chosen === undefined)
    return problem(405, 'Method not allowed', {
      allow: matching.map(([method]) => method).join(', '),
    });
  const [, pattern, handler] = chosen;
  return handler(service, request, pattern.exec(path)?.[1] ?? '');
}

function status({ corpus, world, started }: Service): Answer {
  const everything = world.catalogue.select(readFilter(new Params(''), false));
  return json(200, {
    seed: corpus.seed,
    records: world.catalogue.size,
    generated: corpus.size,
    states: countStates(everything),
    requests: world.log.count,
    time: new Date(world.clock.now()).toISOString(),
    uptimeMs: Date.now() - started,
  });
}

function log({ world }: Service, request: Request): Answer {
  const since = Number(new Params(request.query).get('since') ?? 0);
  return json(200, {
    total: world.log.count,
    requests: world.log.since(Number.isNaN(since) ? 0 : since),
  });
}

function listAccounts({ world }: Service): Answer {
  return json(200, { accounts: world.accounts.all().map(publicPart) });
}

function addAccount({ world }: Service, request: Request): Answer {
  const { id, password } = members(request, { id: 'string', password: 'string' });
  try {
    return json(201, publicPart(world.accounts.add(String(id), String(password))));
  } catch (error) {
    return problem(422, error instanceof Error ? error.message : String(error));
  }
}

function deleteAccount({ world }: Service, _: Request, id: string): Answer {
  if (!world.accounts.delete(id)) return NOT_FOUND;
  world.keys.deleteAll(id.toLowerCase());
  return { status: 204 };
}

function changePassword(service: Service, request: Request, id: string): Answer {
  const { password } = members(request, { password: 'string' });
  if (password === '') return problem(422, 'the password must not be empty');
  return changeAccount(service, id, { password: String(password) });
}

function changeDomains(service: Service, request: Request, id: string): Answer {
  const { domains } = members(request, { domains: 'string' });
  return changeAccount(service, id, { domains: String(domains) || '*' });
}

function changeAccount(
  { world }: Service,
  id: string,
  change: Partial<Pick<Account, 'password' | 'active' | 'domains'>>,
): Answer {
  if (!world.accounts.change(id, change)) return NOT_FOUND;
  const account = world.accounts.get(id);
  return account === undefined ? NOT_FOUND : json(200, publicPart(account));
}

function setFaults({ world, corpus }: Service, request: Request): Answer {
  const body = parseJson(request.body);
  const specs: unknown = isObject(body) ? body['faults'] : undefined;
  if (!Array.isArray(specs) || !specs.every((spec) => typeof spec === 'string')) {
    return problem(422, 'the body must be {"faults": ["502:0.05", …]}');
  }
  try {
    world.faults = new FaultInjector(specs.map(parseFault), corpus.seed);
  } catch (error) {
    return problem(422, error instanceof Error ? error.message : String(error));
  }
  return json(200, { faults: specs });
}

function advanceClock({ world }: Service, request: Request): Answer {
  const advanceMs = Number(members(request, { advanceMs: 'number' }).advanceMs);
  // Time never goes backwards: a later request must not get an earlier time.
  if (!(advanceMs >= 0 && advanceMs <= 1e13))
    return problem(422, 'advanceMs must be from 0 to 1e13');
  world.clock.advance(advanceMs);
  return json(200, { time: new Date(world.clock.now()).toISOString() });
}

/** Moves the date from which affiliations and publishers are objects by default. */
function setObjectsFrom({ world }: Service, request: Request): Answer {
  const { date } = members(request, { date: 'string' });
  const from = date === 'never' ? Number.POSITIVE_INFINITY : Date.parse(String(date));
  if (Number.isNaN(from)) return problem(422, 'date must be a date such as 2027-09-01, or never');
  world.objectsFrom = from;
  return json(200, { date });
}

function reset(service: Service): Answer {
  service.reset();
  return { status: 204 };
}

function publicPart({ spelling, kind, active, prefixes }: Account): object {
  return { id: spelling, kind, active, prefixes };
}

/** @throws Refusal with 422 when a member is missing or of another type */
function members<T extends string>(
  request: Request,
  types: Record<T, 'string' | 'number'>,
): Record<T, unknown> {
  const body = parseJson(request.body);
  const found: Record<string, unknown> = {};
  for (const [name, type] of Object.entries(types)) {
    const value = isObject(body) ? body[name] : undefined;
    if (typeof value !== type)
      throw new Refusal(problem(422, `the body needs "${name}", a ${String(type)}`));
    found[name] = value;
  }
  return found as Record<T, unknown>;
}
