import type { Corpus } from '../records/corpus.ts';
import { Accounts } from './accounts.ts';
import { Activities } from './activities.ts';
import { ApiKeys } from './api-keys.ts';
import { Catalogue } from './catalogue.ts';
import { Clock } from './clock.ts';
import { FaultInjector } from './fault-injector.ts';
import type { FaultRule } from './faults.ts';
import { RateLimit, type RateLimitOptions } from './rate-limit.ts';
import { RequestLog } from './request-log.ts';

/** The settings that a world starts with. */
export interface WorldOptions {
  readonly accounts: readonly { readonly id: string; readonly password: string }[];
  readonly faults: readonly FaultRule[];
  readonly rateLimit: RateLimitOptions | undefined;
  /** {@link World.objectsFrom}; by default never. */
  readonly objectsFrom?: number | undefined;
}

/** All state that requests can change; a reset makes a new world. */
export interface World {
  readonly clock: Clock;
  readonly accounts: Accounts;
  readonly keys: ApiKeys;
  readonly catalogue: Catalogue;
  readonly activities: Activities;
  readonly log: RequestLog;
  readonly rateLimit: RateLimit | undefined;
  faults: FaultInjector;
  /**
   * The time from which affiliations and publishers are objects by default, in milliseconds since
   * 1970; infinite for never (service.md, F6).
   */
  objectsFrom: number;
}

/** @throws Error for an account that cannot exist */
export function createWorld(corpus: Corpus, options: WorldOptions): World {
  const clock = new Clock();
  const accounts = new Accounts();
  for (const { id, password } of options.accounts) accounts.add(id, password);
  const catalogue = new Catalogue(corpus, () => clock.now());
  return {
    clock,
    accounts,
    keys: new ApiKeys(clock),
    catalogue,
    activities: new Activities(),
    log: new RequestLog(),
    rateLimit:
      options.rateLimit === undefined ? undefined : new RateLimit(options.rateLimit, clock),
    faults: new FaultInjector(options.faults, corpus.seed),
    objectsFrom: options.objectsFrom ?? Number.POSITIVE_INFINITY,
  };
}
