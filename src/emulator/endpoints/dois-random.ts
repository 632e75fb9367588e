import { randomBytes } from 'node:crypto';
import { type Answer, json, problem, type Request } from '../http/answer.ts';
import { Params } from '../http/params.ts';
import type { World } from '../state/world.ts';

const MOST_PROPOSED = 100;

/**
 * GET /dois/random?prefix=: proposes a DOI that nobody has, or `size` of them; anybody may ask. Nothing is reserved.
 */
export function randomDois(world: World, request: Request): Answer {
  const params = new Params(request.query);
  const prefix = params.get('prefix') ?? '';
  if (prefix === '') return problem(422, 'Parameter prefix is required');
  const size = Math.min(MOST_PROPOSED, Math.max(1, Number.parseInt(params.get('size') ?? '1', 10) || 1));
  return json(200, { dois: Array.from({ length: size }, () => freeDoi(world, prefix)) });
}

/** A DOI under a prefix that no record has. */
export function freeDoi({ catalogue }: Pick<World, 'catalogue'>, prefix: string): string {
  for (;;) {
    const random = randomBytes(4).toString('hex');
    const name = `${prefix}/${random.slice(0, 4)}-${random.slice(4)}`;
    if (catalogue.find(name) === undefined) return name;
  }
}
